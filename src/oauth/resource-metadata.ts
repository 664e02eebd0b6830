/** The protected resource metadata document (RFC 9728 §2), as far as Castellan publishes it. */
export interface ResourceMetadata {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported?: readonly string[]
  /** Absent when no token is taken without a proof of possession. */
  readonly bearer_methods_supported?: readonly ['header']
  readonly dpop_signing_alg_values_supported?: readonly string[]
  readonly dpop_bound_access_tokens_required?: true
  readonly tls_client_certificate_bound_access_tokens?: true
  readonly resource_name?: string
  readonly resource_documentation?: string
}

const wellKnown = '/.well-known/oauth-protected-resource'

/**
 * The path, with any query, at which the metadata of a resource stands: the well-known name inserted before the
 * path of the resource, byte for byte. `https://h/mcp` gives `/.well-known/oauth-protected-resource/mcp`,
 * `https://h` and `https://h/` give the bare well-known path. RFC 9728 §3.1.
 */
export function resourceMetadataPath(resource: string): string {
  const [, rest] = split(resource)
  return wellKnown + (rest === '/' ? '' : rest.replace(/^\/\?/, '?'))
}

/** The absolute URL of the metadata of a resource (RFC 9728 §3.1). */
export function resourceMetadataUrl(resource: string): string {
  return split(resource)[0] + resourceMetadataPath(resource)
}

function split(resource: string): [origin: string, rest: string] {
  const start = resource.indexOf('://') + 3
  const offset = resource.slice(start).search(/[/?]/)
  return offset === -1 ? [resource, ''] : [resource.slice(0, start + offset), resource.slice(start + offset)]
}
