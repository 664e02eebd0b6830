import type { GuardedHttp } from '../../network/guarded-http.js'
import type { HttpExchange } from '../../network/http-exchange.js'
import type { Registration } from '../../oauth/registration/registration.js'
import type { AuthorizationStore } from '../../store/authorization-store.js'
import type { Registrations } from '../discovery/choose-registration.js'
import type { DiscoveryCache } from '../discovery/discover.js'
import type { GrantBinding } from '../grant/grant-binding.js'
import type { Openness } from '../openness.js'
import type { Proofs } from '../possession/proofs.js'

/** What the grant of one user is got and kept with. */
export interface ConsentContext {
  readonly endpoint: string
  readonly registration: Registrations
  /** Who consents, as the host knows them; empty where the store alone tells. */
  readonly user: readonly string[]
  readonly store: AuthorizationStore
  /** To the endpoint, without authorization. */
  readonly exchange: HttpExchange
  readonly http: GuardedHttp
  readonly cache: DiscoveryCache
  /** Undefined for bearer tokens. */
  readonly proofs: Proofs | undefined
  readonly open: Openness
}

/** Whose grant it is: of this user, for this endpoint, given to this client. */
export function consentBinding(
  { issuer, clientId, method }: Registration,
  { endpoint, user, proofs }: ConsentContext,
): GrantBinding {
  const bound = proofs === undefined ? {} : ({ dpop: true } as const)
  return { kind: 'authorization_code', issuer, clientId, method, identity: user, endpoint, ...bound }
}
