import type { AuthorizationStore } from '../../store/authorization-store.js'
import { requestedScopes } from '../consent/requested-scopes.js'
import { onlyRegistration } from '../discovery/choose-registration.js'
import type { DiscoveredServer } from '../discovery/discover.js'
import { InsufficientScopeError } from '../errors.js'
import { usableGrant, type GrantRecord, type ReadyGrant } from '../grant/grant-record.js'
import { holdGrant, type HeldGrant } from '../grant/held-grant.js'
import { newProofKey } from '../possession/proof-key.js'
import { serves, type GrantWish, type Obtain } from '../grant/shared-grant.js'
import type { SendForm } from '../token/token-endpoint.js'
import {
  enterpriseServers,
  type EnterpriseServers,
  type FoundServer,
  type ServerContext,
} from './enterprise-servers.js'
import { identityKey } from './identity-record.js'
import { redeemIdJag } from './redeem-id-jag.js'
import { requestIdJag } from './request-id-jag.js'
import { prepareIdentity } from './shown-identity.js'

/** What the grant of one signed-on user is got and kept with. */
interface EnterpriseContext extends ServerContext {
  readonly scopes: readonly string[] | undefined
  readonly store: AuthorizationStore
}

/**
 * Loads a user's grant, or gets one by way of the identity provider. The records of the grant and of the identity are locked
 * together. There is no other way to a token: what the provider or the authorization server refuses stays refused.
 */
export function enterpriseGrant(context: EnterpriseContext): Obtain {
  const { registration, scopes = [], store } = context
  const servers = enterpriseServers(context)
  return async (wish, signal) => {
    if (servers.isOpen(wish)) return undefined
    const fixed = onlyRegistration(registration)
    const before = fixed === undefined ? await servers.ofResource(wish, signal) : undefined
    if (before === 'open') return undefined
    const client = fixed ?? before?.registration
    if (client === undefined) return undefined
    const binding = bindingOf(client, context)
    return holdGrant(store, binding, { signal, with: [identityKey(context.identity)] }, async (held) => {
      const stored = usableGrant(held.record)
      const isWanted = scopes.every((scope) => held.record?.requested.includes(scope))
      if (stored !== undefined && isWanted && serves(stored, wish)) return stored
      refuseRepeated(held.record, wish)
      const server = before ?? (await servers.ofResource(wish, signal))
      if (server === 'open') return undefined
      return acquire(context, servers, { held, server, wish }, signal)
    })
  }
}

/** One grant that is to be got, under its lock. */
interface Acquisition {
  readonly held: HeldGrant
  readonly server: FoundServer
  readonly wish: GrantWish
}

async function acquire(
  { identity, scopes, http, proofs }: EnterpriseContext,
  servers: EnterpriseServers,
  { held, server, wish }: Acquisition,
  signal: AbortSignal,
): Promise<ReadyGrant> {
  const own = held.records.get(identityKey(identity))
  if (own === undefined) throw new TypeError('The store did not hand out the record')
  const requested = wantedScopes(server, wish, scopes, held.record)
  const provider = await servers.provider(signal)
  const toProvider: SendForm = (form) => http.send(form, provider.trust)
  const shown = await prepareIdentity({ identity, own, provider, send: toProvider }, signal)
  const proofKey = proofs && (usableGrant(held.record)?.proofKey ?? (await newProofKey()))
  const holder = proofKey && proofs.of(proofKey)
  return held.issue({
    requested,
    keep: proofKey ? { proofKey } : {},
    consumes: 'assertion',
    async exchange(lost) {
      const order = { provider, server, scopes: requested, signal: lost }
      const idJag = await shown.show((subject) => requestIdJag(toProvider, { ...order, subject }), lost)
      if (!idJag.ok) {
        servers.forget(identity.registration.issuer)
        return { ...idJag, usedUp: false }
      }
      const { token, scope = requested } = idJag.token
      const toServer: SendForm = (form) => http.send(form, server.trust)
      const outcome = await redeemIdJag(toServer, {
        ...{ server, idJag: token, scopes: scope, holder },
        signal: lost,
      })
      if (!outcome.ok) servers.forget(server.registration.issuer)
      return outcome
    },
  })
}

function bindingOf(
  { issuer, clientId, method }: DiscoveredServer['registration'],
  { identity: { registration, subject }, endpoint, proofs }: EnterpriseContext,
) {
  const identity = [registration.issuer, registration.clientId, subject]
  const bound = proofs === undefined ? {} : ({ dpop: true } as const)
  return { kind: 'enterprise', issuer, clientId, method, identity, endpoint, ...bound } as const
}

/** Scopes that were asked for and are still refused are not had by asking again. */
function refuseRepeated(record: GrantRecord | undefined, { scopes }: GrantWish): void {
  if (scopes === undefined || record?.state?.type !== 'ready') return
  if (scopes.every((scope) => record.requested.includes(scope))) throw new InsufficientScopeError(scopes)
}

function wantedScopes(
  { registration, server, scopesSupported, challenged }: FoundServer,
  wish: GrantWish,
  configured: readonly string[] | undefined,
  record: GrantRecord | undefined,
): readonly string[] {
  return requestedScopes({
    challenged: wish.scopes ?? configured ?? challenged,
    scopesSupported,
    requested: [...(configured ?? []), ...(record?.requested ?? [])],
    quirks: registration.quirks,
    server,
  })
}
