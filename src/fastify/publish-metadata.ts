import type { FastifyInstance } from 'fastify'
import { DefinitionError } from '../errors.js'
import { publishedMetadata } from '../resource-server/metadata.js'
import type { ResourceServer } from '../resource-server/resource-server.js'
import { metadataIsRouted, routeMetadata } from './metadata-route.js'

/**
 * Serves the protected resource metadata of a guarded context. Without a prefix it is ours to route; under one, the
 * root must, and starting fails with `ERR_OPTION` if nobody does (RFC 9728, section 3).
 */
export function publishMetadata(
  app: FastifyInstance,
  plugin: 'mcp' | 'protect',
  resourceServer: ResourceServer,
  scopes: { basicScopes?: readonly string[] },
): void {
  const metadata = publishedMetadata({ resourceServer, ...scopes })
  if (app.prefix === '') {
    if (!metadataIsRouted(app, metadata.path)) routeMetadata(app, metadata)
    return
  }
  app.addHook('onReady', (ready) => {
    const routed = metadataIsRouted(app, metadata.path)
    ready(routed ? undefined : unroutedMetadata(metadata.path, plugin, app.prefix))
  })
}

function unroutedMetadata(path: string, plugin: string, prefix: string): DefinitionError {
  return new DefinitionError(
    `No route serves ${path}: register protectedResourceMetadata at the root of the app, since ${plugin} stands under the prefix ${prefix}`,
    'ERR_OPTION',
  )
}
