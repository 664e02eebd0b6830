import type { FastifyInstance, FastifyPluginCallback, HTTPMethods } from 'fastify'
import { DefinitionError } from '../errors.js'
import { createGuard } from '../resource-server/guard.js'
import { publishedMetadata } from '../resource-server/metadata.js'
import type { ResourceServer } from '../resource-server/resource-server.js'
import { createServer, type ServerOptions } from '../server/server.js'
import { endpointHandler } from './endpoint.js'
import { entrance, principalKey } from './entrance.js'
import { errorHandler } from './error-answer.js'
import { metadataIsRouted, routeMetadata } from './metadata-route.js'
import { allowedOrigins } from './origin.js'
import { RunningCalls } from './running-calls.js'

export interface McpOptions extends Omit<ServerOptions, 'authenticated' | 'basicScopes'> {
  /** Where the endpoint stands below the prefix of the app, such as `/mcp`. */
  readonly path: string
  /** Who guards it. `'none'` opens it, to this machine only. */
  readonly auth: ResourceServer | 'none'
  /** Scopes for whatever declares none; named in every 401 and in the metadata document. */
  readonly basicScopes?: readonly string[]
  /** Browser origins that may call, exactly as browsers send them; none when left out. */
  readonly origins?: readonly string[]
  /** The largest body in bytes; the app's own limit when left out. */
  readonly bodyLimit?: number
  /** Lets other machines reach a server whose `auth` is `'none'`. */
  readonly exposeWithoutAuth?: boolean
}

/**
 * Mounts an MCP server beside the routes of a Fastify app.
 *
 * Throws `ERR_OPTION` and `ERR_DEFINITION` while the app starts. Under a prefix, register
 * `protectedResourceMetadata` at the root (MCP 2026-07-28, Streamable HTTP and Authorization).
 */
export const mcp: FastifyPluginCallback<McpOptions> = (app, options, done) => {
  const { path, auth, basicScopes, origins, bodyLimit, exposeWithoutAuth = false, ...serverOptions } = options
  checkOptions(options)
  const resourceServer = auth === 'none' ? undefined : auth
  const scopes = basicScopes === undefined ? {} : { basicScopes }
  const server = createServer({ ...serverOptions, ...scopes, authenticated: resourceServer !== undefined })
  const guard = resourceServer && createGuard({ resourceServer, ...scopes })
  const running = new RunningCalls()
  if (resourceServer !== undefined) publish(app, resourceServer, scopes)

  app.decorateRequest(principalKey, undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body))
  app.setErrorHandler(errorHandler)
  app.addHook('onRequest', entrance({ origins: allowedOrigins(origins), guard, exposed: exposeWithoutAuth }))
  app.addHook('preClose', (closed) => (running.startClosing(), closed()))
  app.addHook('onClose', (_app, closed) => (running.close(), closed()))
  app.route({
    method: app.supportedMethods as HTTPMethods[],
    url: path,
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    logSerializers: { req: requestWithoutQuery },
    handler: endpointHandler({ server, guard, running }),
  })
  done()
}

function checkOptions({ path, auth }: McpOptions): void {
  if (typeof path !== 'string' || !path.startsWith('/') || path.includes('?')) {
    throw new DefinitionError('`path` must be a path such as /mcp', 'ERR_OPTION')
  }
  if (auth === 'none' || typeof (auth as Partial<ResourceServer> | undefined)?.verify === 'function') return
  throw new DefinitionError("`auth` must be a resource server, or 'none' to leave the endpoint open", 'ERR_OPTION')
}

/** Without a prefix the metadata document is ours to serve; under one, the root must serve it. */
function publish(app: FastifyInstance, resourceServer: ResourceServer, scopes: { basicScopes?: readonly string[] }): void {
  const metadata = publishedMetadata({ resourceServer, ...scopes })
  if (app.prefix === '') {
    if (!metadataIsRouted(app, metadata.path)) routeMetadata(app, metadata)
    return
  }
  app.addHook('onReady', (ready) => {
    if (metadataIsRouted(app, metadata.path)) return ready()
    ready(
      new DefinitionError(
        `No route serves ${metadata.path}: register protectedResourceMetadata at the root of the app, since mcp stands under the prefix ${app.prefix}`,
        'ERR_OPTION',
      ),
    )
  })
}

/** A query may hold a token that was sent where it must not be; it is not logged. */
function requestWithoutQuery({ method, url, host, ip }: { method: string; url: string; host: string; ip: string }) {
  return { method, url: url.split('?')[0], host, remoteAddress: ip }
}
