import type { FastifyInstance } from 'fastify'
import { DefinitionError } from '../errors.js'
import { publishedMetadata } from '../resource-server/metadata.js'
import type { ResourceServer } from '../resource-server/resource-server.js'
import { describedResource, metadataIsRouted, routeMetadata } from './metadata-route.js'

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
  const { path } = metadata
  if (app.prefix === '' && !metadataIsRouted(app, path)) routeMetadata(app, metadata)
  app.addHook('onReady', (ready) => {
    const described = describedResource(app, path) ?? resourceServer.resource
    if (!metadataIsRouted(app, path)) ready(unroutedMetadata(path, plugin, app.prefix))
    else ready(described === resourceServer.resource ? undefined : twoResources(path))
  })
}

function twoResources(path: string): DefinitionError {
  return new DefinitionError(
    `${path} would have to describe two resources: give them different paths`,
    'ERR_OPTION',
  )
}

function unroutedMetadata(path: string, plugin: string, prefix: string): DefinitionError {
  return new DefinitionError(
    `No route serves ${path}: register protectedResourceMetadata at the root of the app, since ${plugin} stands under the prefix ${prefix}`,
    'ERR_OPTION',
  )
}
