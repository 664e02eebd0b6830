import { DefinitionError } from '../../errors.js'
import { exactResource } from '../../oauth/exact-url.js'
import type { AuthorizationStore } from '../../store/authorization-store.js'
import type { Refusal } from '../authorizer.js'
import { checkRegistrations, checkScopes, checkStore } from '../check-options.js'
import type { ClientTransport } from '../client-transport.js'
import { grantTransport } from '../grant-transport.js'
import type { Registrations } from '../discovery/choose-registration.js'
import { InsufficientScopeError } from '../errors.js'
import type { ReadyGrant } from '../grant/grant-record.js'
import type { GrantWish } from '../grant/shared-grant.js'
import { isIdentity, type EnterpriseIdentity } from './enterprise-identity.js'
import { enterpriseGrant } from './enterprise-grant.js'

/** Options of `enterpriseTransport`. */
export interface EnterpriseTransportOptions {
  /** The one URL of the MCP server, byte for byte; `https`. */
  readonly endpoint: string
  /**
   * The client at the authorization server of the MCP server; never used at the identity provider. One, several, or a function that
   * decides for an issuer the resource names.
   */
  readonly registration: Registrations
  /** Who the user is at the identity provider, with the host's client there. */
  readonly identity: EnterpriseIdentity
  /** What to ask for first; left out, what the resource says it needs. */
  readonly scopes?: readonly string[]
  /** Where grant and identity are kept; of this user alone. */
  readonly store: AuthorizationStore
  /** Bind tokens of the MCP server to a key of this transport, so that a stolen one is of no use (RFC 9449). Default false. */
  readonly dpop?: boolean
  /** Accept an `http` endpoint on loopback hosts. Default false. */
  readonly allowLoopbackHttp?: boolean
}

const extension = 'io.modelcontextprotocol/enterprise-managed-authorization'

/**
 * A transport for a user who has signed in at an identity provider that decides for the organization, without a consent for each
 * server (ID-JAG, MCP extension `enterprise-managed-authorization`).
 *
 * The provider is asked for an assertion for the authorization server of the resource, which is redeemed there at once and never
 * kept. A token that is refused, or that lacks scopes, is replaced once per call by the same way; what the provider refuses is
 * final, and no other grant is ever tried. Fails with `IdentityRequiredError` when the user has to sign in again. Nothing is sent
 * before the first call. Throws `DefinitionError` (`ERR_OPTION`).
 */
export function enterpriseTransport(options: EnterpriseTransportOptions): ClientTransport {
  const { registration, identity, scopes, store, allowLoopbackHttp = false } = options
  const endpoint = exactResource('endpoint', options.endpoint, { allowLoopbackHttp })
  checkOptions(options)
  return grantTransport({
    endpoint,
    extension,
    dpop: options.dpop,
    obtain: (parts) =>
      enterpriseGrant({ endpoint, registration, identity, scopes: scopes && [...scopes], store, ...parts }),
    replace: replacement,
  })
}

/** A grant in place of a refused one; undefined when what the resource wants is not to be had. */
async function replacement(
  { status, challenge, sent }: Refusal,
  get: (wish: GrantWish) => Promise<ReadyGrant | undefined>,
): Promise<ReadyGrant | undefined> {
  const needed = status === 403 ? (challenge?.scope ?? []) : []
  const wish = {
    ...(challenge && { challenge }),
    ...(sent && { rejected: sent.issuanceId }),
    ...(needed.length > 0 && { scopes: needed }),
  }
  try {
    const ready = await get(wish)
    return ready && needed.every((scope) => ready.granted.includes(scope)) ? ready : undefined
  } catch (error) {
    if (error instanceof InsufficientScopeError) return undefined
    throw error
  }
}

function checkOptions({ registration, identity, scopes, store }: EnterpriseTransportOptions): void {
  checkRegistrations(registration)
  if (!isIdentity(identity))
    throw new DefinitionError('`identity` must be what idTokenIdentity or the like gave', 'ERR_OPTION')
  checkScopes(scopes)
  checkStore(store)
}
