import type { GuardedHttp } from '../../network/guarded-http.js'
import type { HttpExchange } from '../../network/http-exchange.js'
import type { Registrations } from '../discovery/choose-registration.js'
import { discover, discoverIssuer, discoveryCache, type DiscoveredServer } from '../discovery/discover.js'
import { DiscoveryError } from '../errors.js'
import type { GrantWish } from '../grant/shared-grant.js'
import type { Proofs } from '../possession/proofs.js'
import { openness } from '../openness.js'
import { probe } from '../probe.js'
import type { EnterpriseIdentity } from './enterprise-identity.js'
import type { IdentityProvider } from './token-exchange.js'

/** Where servers are looked for, and as whom. */
export interface ServerContext {
  readonly endpoint: string
  readonly registration: Registrations
  readonly identity: EnterpriseIdentity
  /** To the endpoint, without authorization. */
  readonly exchange: HttpExchange
  readonly http: GuardedHttp
  /** For tokens of the MCP server; undefined for bearer tokens. */
  readonly proofs: Proofs | undefined
}

/** The authorization server of the resource, and the scopes of the challenge. */
export interface FoundServer extends DiscoveredServer {
  readonly challenged: readonly string[] | undefined
}

/** The two servers of one transport. */
export interface EnterpriseServers {
  /** Whether the resource asked for no token a short time ago; a refusal ends it at once. */
  isOpen(wish: GrantWish): boolean
  /** That of the resource, which takes ID-JAGs as far as it says. Rejects as `discover`. */
  ofResource(wish: GrantWish, signal: AbortSignal): Promise<FoundServer | 'open'>
  /** The identity provider, which gives ID-JAGs as far as it says. Rejects as `discover`. */
  provider(signal: AbortSignal): Promise<IdentityProvider>
  /** Has metadata read anew the next time. */
  forget(issuer: string): void
}

export function enterpriseServers(context: ServerContext): EnterpriseServers {
  const { endpoint, registration, identity, http } = context
  const cache = discoveryCache()
  const open = openness()
  return {
    isOpen: ({ challenge }) => challenge === undefined && open.isOpen(),
    async ofResource(wish, signal) {
      const challenge = wish.challenge ?? (await probe(context.exchange, signal)).challenge
      const needs = 'jwt-bearer'
      const question = {
        endpoint,
        challenge,
        registrations: registration,
        needs,
        dpop: context.proofs !== undefined,
        http,
        cache,
        signal,
      } as const
      const server = await discover(question)
      open.note(server === 'open')
      if (server === 'open') return 'open'
      checkAnnounced(server, 'authorization_grant_profiles_supported', profile)
      return { ...server, challenged: challenge?.scope }
    },
    async provider(signal) {
      const question = { needs: 'token-exchange', http, cache, signal } as const
      const provider = await discoverIssuer(identity.registration, question)
      checkAnnounced(provider, 'identity_chaining_requested_token_types_supported', idJagType)
      return provider
    },
    forget: (issuer) => void cache.issuers.delete(issuer),
  }
}

const profile = 'urn:ietf:params:oauth:grant-profile:id-jag'
const idJagType = 'urn:ietf:params:oauth:token-type:id-jag'

/** Metadata that says nothing refuses nothing: both fields are new. */
function checkAnnounced({ server }: Pick<DiscoveredServer, 'server'>, field: string, value: string): void {
  const announced = server[field]
  if (!Array.isArray(announced) || announced.includes(value)) return
  throw new DiscoveryError(`The authorization server ${new URL(server.issuer).host} does not offer ${value}`)
}
