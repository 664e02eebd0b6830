import type { AdvanceOn } from '../../oauth/registration/quirks.js'
import type { GuardedHttp } from '../../network/guarded-http.js'
import { isLoopback } from '../../oauth/exact-url.js'
import { resourceMetadataUrl } from '../../oauth/resource-metadata.js'
import { isScopeToken } from '../../oauth/scope.js'
import { DiscoveryError } from '../errors.js'
import { metadataAt, readFirstDocument } from './metadata-document.js'
import { metadataFields } from './metadata-fields.js'

/** What a resource says about itself (RFC 9728 §2), checked. */
export interface ResourceDescription {
  /** Byte for byte: what tokens are asked for. */
  readonly resource: string
  readonly authorizationServers: readonly string[]
  readonly scopesSupported?: readonly string[]
  /** Whether it takes only tokens that are bound to a key. */
  readonly dpopRequired?: boolean
  readonly dpopAlgorithms?: readonly string[]
}

/** Where to read, and what the operator allows. */
export interface ResourceQuestion {
  readonly endpoint: string
  /** What the resource's own challenge names. */
  readonly metadataUrl?: string | undefined
  readonly http: GuardedHttp
  readonly advanceOn?: readonly AdvanceOn[] | undefined
  /** Also read metadata that a challenge names on another origin. Default false. */
  readonly allowCrossOriginMetadata?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads the metadata of a resource: at the address its challenge names, and nowhere else; without one at the path of the
 * endpoint, then at the root. Undefined when there is none.
 *
 * The document must name the endpoint, or at the root place its bare origin. Throws `DiscoveryError`, and
 * `AuthorizationUnavailableError` when nothing can be said now. RFC 9728 §3, MCP 2026-07-28 "Authorization Server Location".
 */
export async function describeResource(question: ResourceQuestion): Promise<ResourceDescription | undefined> {
  const { endpoint, metadataUrl, http, advanceOn, signal } = question
  const { origin } = new URL(endpoint)
  if (metadataUrl !== undefined) checkNamedUrl(metadataUrl, question)
  const rootUrl = `${origin}/.well-known/oauth-protected-resource`
  const urls =
    metadataUrl === undefined ? [...new Set([resourceMetadataUrl(endpoint), rootUrl])] : [metadataUrl]
  const trust = { origins: [origin] }
  const found = await readFirstDocument('resource', urls, { http, trust, advanceOn, signal })
  if (found === undefined) {
    if (metadataUrl === undefined) return undefined
    throw new DiscoveryError(`${metadataAt('resource', metadataUrl)} is not there`)
  }
  return read(metadataAt('resource', found.url), found.document, endpoint, found.url === rootUrl)
}

function checkNamedUrl(metadataUrl: string, { endpoint, allowCrossOriginMetadata }: ResourceQuestion): void {
  const url = URL.canParse(metadataUrl) ? new URL(metadataUrl) : undefined
  const own = new URL(endpoint)
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && own.protocol === 'http:' && isLoopback(url))
  if (!isSafe || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new DiscoveryError('The challenge of the resource names metadata at an address that is not safe')
  if (url.origin !== own.origin && !allowCrossOriginMetadata)
    throw new DiscoveryError('The challenge of the resource names metadata on another origin')
}

function read(
  where: string,
  document: Readonly<Record<string, unknown>>,
  endpoint: string,
  isRoot: boolean,
): ResourceDescription {
  const fields = metadataFields(where, document)
  const resource = fields.text('resource')
  const authorizationServers = fields.texts('authorization_servers') ?? []
  const scopesSupported = fields.texts('scopes_supported')
  if (resource === undefined || !isNamed(resource, endpoint, isRoot))
    throw new DiscoveryError(`${where} is about another resource`)
  if (authorizationServers.length === 0) throw new DiscoveryError(`${where} names no authorization server`)
  if (!(scopesSupported ?? []).every(isScopeToken))
    throw new DiscoveryError(`${where} has \`scopes_supported\` that are not scopes`)
  if (fields.texts('bearer_methods_supported')?.includes('header') === false)
    throw new DiscoveryError(`${where} takes no token in the Authorization header`)
  const dpopRequired = fields.flag('dpop_bound_access_tokens_required')
  const dpopAlgorithms = fields.texts('dpop_signing_alg_values_supported')
  return Object.freeze({
    resource,
    authorizationServers,
    ...(scopesSupported && { scopesSupported }),
    ...(dpopRequired !== undefined && { dpopRequired }),
    ...(dpopAlgorithms && { dpopAlgorithms }),
  })
}

/** Scheme and host in any letter case, the rest byte for byte (RFC 9728 §3.3, MCP "Canonical Server URI"). */
function isNamed(resource: string, endpoint: string, isRoot: boolean): boolean {
  const [ownOrigin, ownRest] = split(endpoint)
  const [origin, rest] = split(resource)
  return origin === ownOrigin && (rest === ownRest || (isRoot && (rest === '' || rest === '/')))
}

function split(url: string): [origin: string, rest: string] {
  const [, origin = '', rest = ''] = /^([^:/?#]+:\/\/[^/?#]*)(.*)$/s.exec(url) ?? []
  return [origin.toLowerCase(), rest]
}
