import type { DiscoveredServer } from '../discovery/discover.js'
import { resourceParameter } from '../token/resource-parameter.js'
import type { SendForm } from '../token/token-endpoint.js'
import type { TokenOutcome } from '../token/token-outcome.js'
import {
  exchangeToken,
  type ExchangedToken,
  type IdentityProvider,
  type SubjectToken,
} from './token-exchange.js'

/** Who asks, for whom, and for what. */
interface IdJagRequest {
  readonly provider: IdentityProvider
  readonly subject: SubjectToken
  /** Where the ID-JAG is to be redeemed, and for which resource. */
  readonly server: DiscoveredServer
  readonly scopes: readonly string[]
  readonly signal: AbortSignal
}

/**
 * Asks an identity provider for an ID-JAG: a short-lived assertion for one authorization server that is never kept. The provider
 * may name fewer scopes. `resource` follows the quirks of the client at the provider.
 *
 * draft-ietf-oauth-identity-assertion-authz-grant §4.3.
 */
export function requestIdJag(
  send: SendForm,
  { provider, subject, server, scopes, signal }: IdJagRequest,
): Promise<TokenOutcome<ExchangedToken>> {
  const target = {
    audience: server.registration.issuer,
    resource: resourceParameter(server.resource, provider.registration.quirks),
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
  }
  return exchangeToken(send, { provider, subject, wanted: 'id-jag', target, signal })
}
