import type { GuardedHttp } from '../network/guarded-http.js'
import type { HttpExchange } from '../network/http-exchange.js'
import type { AuthorizationStore } from '../store/authorization-store.js'
import { onlyRegistration, type Registrations } from './discovery/choose-registration.js'
import { discover, discoveryCache, type DiscoveredServer } from './discovery/discover.js'
import type { Need } from './discovery/fit-server.js'
import { RegistrationError } from './errors.js'
import { holdGrant } from './grant/held-grant.js'
import { usableGrant, type GrantRecord } from './grant/grant-record.js'
import { serves, type GrantWish, type Obtain } from './grant/shared-grant.js'
import { openness } from './openness.js'
import { newProofKey } from './possession/proof-key.js'
import type { KeyHolder, Proofs } from './possession/proofs.js'
import { probe } from './probe.js'
import { resourceParameter } from './token/resource-parameter.js'
import { requestToken } from './token/token-endpoint.js'
import type { TokenOutcome } from './token/token-outcome.js'

/** What a machine's grant is got with. */
interface MachineOptions {
  readonly kind: 'client_credentials' | 'workload_identity'
  readonly needs: Need
  /** `grant_type` and what belongs to it, for one request. */
  readonly parameters: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>
  readonly endpoint: string
  readonly registration: Registrations
  readonly scopes: readonly string[] | undefined
  readonly store: AuthorizationStore
  /** To the endpoint, without authorization. */
  readonly exchange: HttpExchange
  readonly http: GuardedHttp
  /** Undefined for bearer tokens. */
  readonly proofs: Proofs | undefined
}

interface Found {
  readonly server: DiscoveredServer
  readonly scopes: readonly string[]
}

/** For tokens that come without a lifetime, since a refused one is not replaced before it ends. */
const unstatedLifeSeconds = 300

/** Loads the grant of an application or a workload, or asks the authorization server for one. Only one process asks at a time. */
export function machineGrant(options: MachineOptions): Obtain {
  const { kind, needs, endpoint, registration, scopes, store, http, proofs } = options
  const dpop = proofs !== undefined
  const cache = discoveryCache()
  const open = openness()

  async function find(wish: GrantWish, signal: AbortSignal): Promise<Found | 'open'> {
    const challenge = wish.challenge ?? (await probe(options.exchange, signal)).challenge
    const server = await discover({
      endpoint,
      challenge,
      registrations: registration,
      needs,
      dpop,
      http,
      cache,
      signal,
    })
    open.note(server === 'open')
    if (server === 'open') return 'open'
    if (kind === 'client_credentials' && server.registration.method === 'none') {
      throw new RegistrationError('An application that acts as itself needs a secret or a key')
    }
    return { server, scopes: scopes ?? automaticScopes(server, challenge?.scope) }
  }

  return async (wish, signal) => {
    if (wish.challenge === undefined && open.isOpen()) return undefined
    const fixed = onlyRegistration(registration)
    const before = fixed === undefined ? await find(wish, signal) : undefined
    if (before === 'open') return undefined
    const client = fixed ?? before?.server.registration
    if (client === undefined) return undefined
    const { issuer, clientId, method } = client
    const bound = dpop ? { dpop } : {}
    const binding = { kind, issuer, clientId, method, identity: [], endpoint, ...bound }
    return holdGrant(store, binding, { signal }, async (held) => {
      const stored = usableGrant(held.record)
      if (stored && serves(stored, wish) && askedFor(held.record, scopes)) return stored
      const found = before ?? (await find(wish, signal))
      if (found === 'open') return undefined
      const proofKey = proofs && (stored?.proofKey ?? (await newProofKey()))
      return held.issue({
        requested: found.scopes,
        keep: proofKey ? { proofKey } : {},
        exchange: async (lost) => {
          const outcome = await ask(options, found, proofKey && proofs.of(proofKey), lost)
          if (!outcome.ok) cache.issuers.delete(issuer)
          return outcome
        },
      })
    })
  }
}

/** A grant of a time when the application asked for less is no longer what it wants. */
function askedFor(record: GrantRecord | undefined, scopes: readonly string[] = []): boolean {
  return scopes.every((scope) => record?.requested.includes(scope))
}

async function ask(
  { http, parameters }: MachineOptions,
  { server, scopes }: Found,
  holder: KeyHolder | undefined,
  signal: AbortSignal,
): Promise<TokenOutcome> {
  const { registration, trust } = server
  const outcome = await requestToken((form) => http.send(form, trust), {
    server: server.server,
    registration,
    parameters: {
      ...(await parameters(signal)),
      resource: resourceParameter(server.resource, registration.quirks),
      scope: scopes.length === 0 ? undefined : scopes.join(' '),
    },
    holder,
    signal,
  })
  if (!outcome.ok) return outcome
  const { accessToken, tokenType, expiresInSeconds = unstatedLifeSeconds, scope } = outcome.token
  return { ok: true, token: { accessToken, tokenType, expiresInSeconds, ...(scope && { scope }) } }
}

const notForMachines = new Set(['offline_access', 'openid', 'profile'])

/** What the resource says it needs: of its challenge, else of its metadata; within what the operator allows. */
function automaticScopes(
  { registration, scopesSupported = [] }: DiscoveredServer,
  challenged: readonly string[] | undefined,
): readonly string[] {
  const { scopeOverride, scopeCeiling } = registration.quirks
  if (scopeOverride !== undefined) return scopeOverride
  const offered = challenged ?? scopesSupported.filter((scope) => !notForMachines.has(scope))
  return scopeCeiling === undefined ? offered : offered.filter((scope) => scopeCeiling.includes(scope))
}
