import type { ResourceMetadata } from '../oauth/resource-metadata.js'
import { resourceMetadataPath, resourceMetadataUrl } from '../oauth/resource-metadata.js'
import { requiredScopes } from '../oauth/scope.js'
import type { Possession } from './possession/possession.js'
import type { ResourceServer } from './resource-server.js'

/** Options of `publishedMetadata`. */
export interface PublishedMetadataOptions {
  readonly resourceServer: ResourceServer
  /** Scopes for basic access; the ones of single operations stay out. Default none. */
  readonly basicScopes?: readonly string[]
  /** Name of the resource for people. */
  readonly resourceName?: string
  /** URL of a page for developers. */
  readonly resourceDocumentation?: string
}

/** The protected resource metadata of one resource, ready to serve without any guard. */
export interface PublishedMetadata {
  /** Path, with the query of the resource if it has one, that GET and HEAD must answer. */
  readonly path: string
  /** The absolute URL that challenges name. */
  readonly url: string
  readonly document: ResourceMetadata
  /** The document as JSON text. */
  readonly body: string
  /** Headers of the 200 answer, lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Describes a resource server as RFC 9728 §2 says; identifiers are the configured ones, byte for byte.
 *
 * Throws `DefinitionError` (`ERR_OPTION`) for a wrong scope.
 */
export function publishedMetadata(options: PublishedMetadataOptions): PublishedMetadata {
  const { resourceServer, resourceName, resourceDocumentation } = options
  const basicScopes = requiredScopes('basicScopes', options.basicScopes ?? [])
  const document: ResourceMetadata = Object.freeze({
    resource: resourceServer.resource,
    authorization_servers: resourceServer.issuers,
    ...(basicScopes.length > 0 && { scopes_supported: basicScopes }),
    ...possessionMetadata(resourceServer.possession),
    ...(resourceName !== undefined && { resource_name: resourceName }),
    ...(resourceDocumentation !== undefined && { resource_documentation: resourceDocumentation }),
  })
  return Object.freeze({
    path: resourceMetadataPath(resourceServer.resource),
    url: resourceMetadataUrl(resourceServer.resource),
    document,
    body: JSON.stringify(document),
    headers: Object.freeze({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    }),
  })
}

/** How tokens are presented (RFC 9728 §2). */
function possessionMetadata({ dpop, certificate }: Possession = {}): Partial<ResourceMetadata> {
  return {
    ...(dpop?.required !== true && { bearer_methods_supported: ['header'] as const }),
    ...(dpop !== undefined && { dpop_signing_alg_values_supported: dpop.algorithms }),
    ...(dpop?.required === true && { dpop_bound_access_tokens_required: true as const }),
    ...(certificate !== undefined && { tls_client_certificate_bound_access_tokens: true as const }),
  }
}
