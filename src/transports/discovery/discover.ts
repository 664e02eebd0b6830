import type { AuthorizationServer } from 'oauth4webapi'
import { LRUCache } from 'lru-cache'
import type { GuardedHttp, Trust } from '../../network/guarded-http.js'
import type { ReceivedChallenge } from '../../oauth/received-challenge.js'
import type { AdvanceOn } from '../../oauth/registration/quirks.js'
import type { Registration } from '../../oauth/registration/registration.js'
import { DiscoveryError } from '../errors.js'
import { chooseRegistration, type Registrations } from './choose-registration.js'
import { checkResourcePossession, checkServerPossession } from './fit-possession.js'
import { checkServer, type Need } from './fit-server.js'
import { readIssuerMetadata } from './issuer-metadata.js'
import { describeResource, type ResourceDescription } from './resource-description.js'

/** Metadata that was read a short time ago. */
export interface DiscoveryCache {
  /** By endpoint, for 5 minutes. */
  readonly resources: LRUCache<string, ResourceDescription>
  /** By issuer, for an hour; to be forgotten when an endpoint turns out to be gone. */
  readonly issuers: LRUCache<string, AuthorizationServer>
}

/** Makes an empty cache, for one transport. */
export function discoveryCache(): DiscoveryCache {
  return {
    resources: new LRUCache({ max: 64, ttl: 5 * 60_000 }),
    issuers: new LRUCache({ max: 64, ttl: 60 * 60_000 }),
  }
}

/** What to find out, and with what. */
export interface DiscoveryRequest {
  /** The MCP endpoint, which the operator wrote. */
  readonly endpoint: string
  /** What the endpoint said when it turned a request away. With it metadata of the resource is always read anew. */
  readonly challenge?: ReceivedChallenge | undefined
  readonly registrations: Registrations
  readonly needs: Need
  /** Whether tokens are to be bound to a key. Default false. */
  readonly dpop?: boolean
  readonly http: GuardedHttp
  readonly cache: DiscoveryCache
  /** Read the metadata of the resource anew also without a challenge. */
  readonly isFresh?: boolean | undefined
  /** When the next place of the resource's metadata is asked, beside 404. */
  readonly advanceOn?: readonly AdvanceOn[] | undefined
  /** Also read metadata that a challenge names on another origin. Default false. */
  readonly allowCrossOriginMetadata?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** Where to get a token for a resource, and as whom. */
export interface DiscoveredServer {
  /** To be sent as `resource`, byte for byte (RFC 8707 §2). */
  readonly resource: string
  readonly scopesSupported?: readonly string[]
  readonly registration: Registration
  /** Checked for what is needed; plain JSON, to be kept with a grant. */
  readonly server: AuthorizationServer
  /** For every request to an endpoint of the server. */
  readonly trust: Trust
}

/**
 * Finds the authorization server of a resource, starting from its metadata, and checks it for what is needed.
 *
 * `open` when the resource neither challenged nor publishes metadata. Throws `DiscoveryError`, `RegistrationError`, and
 * `AuthorizationUnavailableError` when nothing can be said now. MCP 2026-07-28 "Authorization Server Discovery".
 */
export async function discover(request: DiscoveryRequest): Promise<DiscoveredServer | 'open'> {
  const { challenge, registrations, endpoint, dpop = false } = request
  const described = await resourceOf(request)
  if (described === undefined) {
    if (challenge === undefined) return 'open'
    throw new DiscoveryError('The resource asks for a token, but publishes no metadata that says from whom')
  }
  const { resource, authorizationServers, scopesSupported } = described
  checkResourcePossession(described, dpop)
  const registration = await chooseRegistration(registrations, authorizationServers)
  const isConfigured = typeof registrations !== 'function'
  const trust = trustIn(registration, isConfigured ? [endpoint, registration.issuer] : [endpoint])
  const server = await serverOf(registration, trust, request)
  return { resource, ...(scopesSupported && { scopesSupported }), registration, server, trust }
}

/**
 * The server of an issuer without asking a resource: that of an identity provider, or of a grant. `configured` are the URLs that
 * the operator wrote, by default the issuer. Throws as `discover`.
 */
export async function discoverIssuer(
  registration: Registration,
  request: Pick<DiscoveryRequest, 'needs' | 'dpop' | 'http' | 'cache' | 'signal'>,
  configured: readonly string[] = [registration.issuer],
): Promise<Pick<DiscoveredServer, 'registration' | 'server' | 'trust'>> {
  const trust = trustIn(registration, configured)
  const server = await serverOf(registration, trust, request)
  return { registration, server, trust }
}

async function resourceOf(request: DiscoveryRequest): Promise<ResourceDescription | undefined> {
  const { endpoint, challenge, isFresh, cache } = request
  const known = challenge === undefined && !isFresh ? cache.resources.get(endpoint) : undefined
  if (known !== undefined) return known
  const described = await describeResource({ ...request, metadataUrl: challenge?.resourceMetadata })
  if (described === undefined) cache.resources.delete(endpoint)
  else cache.resources.set(endpoint, described)
  return described
}

async function serverOf(
  registration: Registration,
  trust: Trust,
  request: Pick<DiscoveryRequest, 'needs' | 'dpop' | 'http' | 'cache' | 'signal'>,
): Promise<AuthorizationServer> {
  const server = await metadataOf(registration, trust, request)
  checkServer(server, registration, request.needs, { http: request.http, trust })
  if (request.dpop) checkServerPossession(server)
  return server
}

async function metadataOf(
  registration: Registration,
  trust: Trust,
  { http, cache, signal }: Pick<DiscoveryRequest, 'http' | 'cache' | 'signal'>,
): Promise<AuthorizationServer> {
  const { issuer, quirks } = registration
  const known = quirks.metadataOverride === undefined ? cache.issuers.get(issuer) : undefined
  if (known !== undefined) return known
  const server = await readIssuerMetadata(registration, { http, trust, signal })
  if (quirks.metadataOverride === undefined) cache.issuers.set(issuer, server)
  return server
}

/** Only a registration that opted into it has an http issuer, which then is on a loopback host. */
function trustIn({ issuer }: Registration, configured: readonly string[]): Trust {
  return {
    origins: configured.map((url) => new URL(url).origin),
    loopback: issuer.startsWith('http:'),
  }
}
