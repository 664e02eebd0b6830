import { discoverIssuer } from '../discovery/discover.js'
import { TokenEndpointError } from '../errors.js'
import type { ReadyGrant } from '../grant/grant-record.js'
import type { HeldGrant } from '../grant/held-grant.js'
import { requestToken } from '../token/token-endpoint.js'
import type { TokenOutcome } from '../token/token-outcome.js'
import type { ConsentContext } from './consent-context.js'
import { configuredUrls, registrationOf } from './find-server.js'

/**
 * Gets another token for a grant with its refresh token, which is never sent twice (RFC 6749 §6). Undefined when the
 * authorization server no longer knows the grant; any other failure is the caller's, and keeps what can still be used.
 */
export async function refreshGrant(
  held: HeldGrant,
  grant: ReadyGrant,
  context: ConsentContext,
  signal: AbortSignal,
): Promise<ReadyGrant | undefined> {
  const { record } = held
  if (record === undefined || grant.refreshToken === undefined) return undefined
  const { registration: registrations, http, cache, proofs } = context
  const { resource, proofKey } = grant
  const registration = await registrationOf(registrations, record.binding)
  const configured = configuredUrls(context, registration.issuer)
  const { server, trust } = await discoverIssuer(
    registration,
    { needs: 'authorization_code', dpop: proofs !== undefined, http, cache, signal },
    configured,
  )
  const { sendScopeOnRefresh = false } = registration.quirks
  const isNamed = sendScopeOnRefresh && grant.granted.length > 0
  async function exchange(lost: AbortSignal): Promise<TokenOutcome> {
    const outcome = await requestToken((form) => http.send(form, trust), {
      server,
      registration,
      parameters: {
        grant_type: 'refresh_token',
        refresh_token: grant.refreshToken,
        resource,
        scope: isNamed ? grant.granted.join(' ') : undefined,
      },
      holder: proofKey && proofs?.of(proofKey),
      signal: lost,
    })
    if (outcome.ok) return { ok: true, token: { scope: grant.granted, ...outcome.token } }
    cache.issuers.delete(registration.issuer)
    return outcome
  }
  try {
    return await held.issue({
      requested: record.requested,
      consumes: 'refresh_token',
      keep: { ...(resource !== undefined && { resource }), ...(proofKey && { proofKey }) },
      exchange,
    })
  } catch (error) {
    if (error instanceof TokenEndpointError && error.oauthCode === 'invalid_grant') return undefined
    throw error
  }
}
