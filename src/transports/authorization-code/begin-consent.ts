import { authorizationRequest } from '../consent/authorization-request.js'
import { requestedScopes } from '../consent/requested-scopes.js'
import { InsufficientScopeError } from '../errors.js'
import type { OpenConsent } from '../grant/grant-record.js'
import { keyThumbprint, newProofKey } from '../possession/proof-key.js'
import { resourceParameter } from '../token/resource-parameter.js'
import { consentBinding, type ConsentContext } from './consent-context.js'
import { transactionKey, writeTransaction } from './consent-transaction.js'
import type { FoundServer } from './find-server.js'

/** What a user is to be asked for. */
export interface ConsentWish {
  readonly redirectUri: string
  /** Asked for earlier for the same grant. */
  readonly requested: readonly string[]
  /** Without these the consent would be in vain. */
  readonly needed: readonly string[]
}

/** How long a user has for a consent. */
export const consentMilliseconds = 10 * 60_000

/**
 * Prepares the way of a user to the authorization server and back, and stores what is needed to take the answer in any instance.
 * Nobody is sent there yet. Throws `InsufficientScopeError` when what is needed may not be asked for.
 */
export async function beginConsent(
  context: ConsentContext,
  found: FoundServer,
  { redirectUri, requested, needed }: ConsentWish,
  signal: AbortSignal,
): Promise<OpenConsent> {
  const { server, registration, trust, challenged, scopesSupported } = found
  const scopes = requestedScopes({
    challenged,
    scopesSupported,
    requested: [...requested, ...needed],
    quirks: registration.quirks,
    server,
  })
  const { scopeCeiling } = registration.quirks
  const isAsked = (scope: string) => scopes.includes(scope) && scopeCeiling?.includes(scope) !== false
  if (!needed.every(isAsked)) throw new InsufficientScopeError(needed)
  const resource = resourceParameter(found.resource, registration.quirks)
  const proofKey = context.proofs && (await newProofKey())
  const { url, state, codeVerifier } = await authorizationRequest({
    server,
    registration,
    resource,
    redirectUri,
    scopes,
    dpopJkt: proofKey && (await keyThumbprint(proofKey)),
  })
  const expiresAt = Date.now() + consentMilliseconds
  const id = transactionKey(context, state)
  const kept = { state, codeVerifier, redirectUri, scopes, expiresAt, server, trust }
  const binding = consentBinding(registration, context)
  const bound = { ...(resource !== undefined && { resource }), ...(proofKey && { proofKey }) }
  const value = writeTransaction({ ...kept, binding, ...bound })
  await context.store.transactions.put(id, value, expiresAt, { signal })
  return { id, url: url.href, redirectUri, scopes, expiresAt }
}
