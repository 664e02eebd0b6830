import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { DefinitionError } from '../errors.js'
import { publishedMetadata, type PublishedMetadata } from '../resource-server/metadata.js'
import type { ResourceServer } from '../resource-server/resource-server.js'
import { installing } from './installing.js'
import { ownGuard } from './own-guard.js'
import { undocumented } from './undocumented.js'

export interface MetadataOptions {
  /** The resource server the document describes. */
  readonly auth: ResourceServer
  /** Scopes for basic access, the same as the guarded plugin's `basicScopes`. */
  readonly basicScopes?: readonly string[]
  readonly resourceName?: string
  readonly resourceDocumentation?: string
}

/**
 * Serves the protected resource metadata at its well-known place, outside every guard. Register it at the root of the
 * app when `mcp` or `protect` stands under a prefix (RFC 9728, section 3).
 */
export const protectedResourceMetadata = fp(
  installing<MetadataOptions>((app, { auth, ...options }) => {
    const metadata = publishedMetadata({ resourceServer: auth, ...options })
    if (metadataIsRouted(app, metadata.path)) throw alreadyRouted(metadata.path)
    routeMetadata(app, metadata)
  }),
  { name: 'castellan-protected-resource-metadata', fastify: '5.x' },
)

function alreadyRouted(path: string): DefinitionError {
  return new DefinitionError(
    `${path} is routed already: register protectedResourceMetadata before mcp and protect`,
    'ERR_OPTION',
  )
}

/** GET and HEAD give the document, OPTIONS answers any preflight, other methods are 405. */
export function routeMetadata(
  app: FastifyInstance,
  { path, body, headers, document }: PublishedMetadata,
): void {
  const [url = path, query] = path.split('?')
  described.set(app.server, new Map([...(described.get(app.server) ?? []), [url, document.resource]]))
  const others = app.supportedMethods.filter((method) => !['GET', 'HEAD', 'OPTIONS'].includes(method))
  const config = { [ownGuard]: true }
  app.route({
    method: 'GET',
    url,
    config,
    schema: undocumented(),
    exposeHeadRoute: true,
    handler: (request, reply) => {
      if (query !== undefined && request.raw.url?.split('?')[1] !== query) {
        reply.callNotFound()
        return reply
      }
      return reply.headers(headers).send(body)
    },
  })
  app.route({
    method: 'OPTIONS',
    url,
    config,
    schema: undocumented(),
    handler: (request, reply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'GET, HEAD, OPTIONS',
          'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
          vary: 'access-control-request-headers',
        })
        .send(),
  })
  app.route({
    method: others,
    url,
    config,
    schema: undocumented(),
    handler: (_request, reply) => reply.code(405).header('allow', 'GET, HEAD, OPTIONS').send(),
  })
}

/** The resources that the documents of each app describe, by path. */
const described = new WeakMap<object, ReadonlyMap<string, string>>()

/** The resource that our own document on this path describes. */
export function describedResource(app: FastifyInstance, path: string): string | undefined {
  return described.get(app.server)?.get(path.split('?')[0] ?? path)
}

/** Whether something at the app answers GET on the place of the document. */
export function metadataIsRouted(app: FastifyInstance, path: string): boolean {
  return app.hasRoute({ method: 'GET', url: path.split('?')[0] ?? path })
}
