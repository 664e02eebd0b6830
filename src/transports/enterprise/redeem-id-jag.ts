import type { DiscoveredServer } from '../discovery/discover.js'
import type { KeyHolder } from '../possession/proofs.js'
import { resourceParameter } from '../token/resource-parameter.js'
import { requestToken, type SendForm } from '../token/token-endpoint.js'
import type { TokenOutcome } from '../token/token-outcome.js'

interface Redemption {
  readonly server: DiscoveredServer
  readonly idJag: string
  /** Those the identity provider named. */
  readonly scopes: readonly string[]
  readonly holder: KeyHolder | undefined
  readonly signal: AbortSignal
}

/**
 * Redeems an ID-JAG for an access token, once, as the client at the authorization server of the resource. A refresh token in the
 * answer is not kept: the identity provider is asked each time.
 *
 * RFC 7523 §2.1, draft-ietf-oauth-identity-assertion-authz-grant §4.4.
 */
export async function redeemIdJag(
  send: SendForm,
  { server, idJag, scopes, holder, signal }: Redemption,
): Promise<TokenOutcome> {
  const { registration } = server
  const outcome = await requestToken(send, {
    server: server.server,
    registration,
    parameters: {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: idJag,
      resource: resourceParameter(server.resource, registration.quirks),
      scope: scopes.length === 0 ? undefined : scopes.join(' '),
    },
    holder,
    signal,
  })
  if (!outcome.ok) return outcome
  const { accessToken, tokenType, expiresInSeconds, scope = scopes } = outcome.token
  return {
    ok: true,
    token: { accessToken, tokenType, scope, ...(expiresInSeconds !== undefined && { expiresInSeconds }) },
  }
}
