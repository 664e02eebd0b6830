import { callbackState, readCallback } from '../consent/callback.js'
import { ConsentError } from '../errors.js'
import type { ReadyGrant } from '../grant/grant-record.js'
import { usableGrant } from '../grant/grant-record.js'
import { holdGrant, settled, type HeldGrant } from '../grant/held-grant.js'
import { requestToken } from '../token/token-endpoint.js'
import type { TokenOutcome } from '../token/token-outcome.js'
import { consentBinding, type ConsentContext } from './consent-context.js'
import { readTransaction, transactionKey, type ConsentTransaction } from './consent-transaction.js'
import { registrationOf } from './find-server.js'

/** How long it is remembered what a user would not grant. */
export const refusalMilliseconds = 5 * 60_000

/**
 * Takes what a user brought back and exchanges it for a grant, in any instance. The transaction is taken first, so nothing is
 * ever tried twice. Throws `ConsentError`, `TokenEndpointError`, `AuthorizationUnavailableError` and `StoreError`.
 */
export async function finishConsent(
  context: ConsentContext,
  callbackUrl: string,
  signal: AbortSignal,
): Promise<ReadyGrant> {
  const { store, user } = context
  const id = transactionKey(context, callbackState(callbackUrl))
  const bytes = await store.transactions.take(id, { signal })
  if (bytes === undefined) {
    await withdrawConsent(context, id, signal)
    throw new ConsentError('mismatch', 'No consent of this user waits for this answer')
  }
  const transaction = readTransaction(bytes, user)
  const { binding } = transaction
  try {
    const { code } = readCallback(expected(transaction), callbackUrl)
    return await holdGrant(store, binding, { signal }, (held) =>
      redeem(held, { transaction, id, code }, context),
    )
  } catch (error) {
    await endConsent(context, transaction, id, error)
    throw error
  }
}

function expected({ server, redirectUri, state, expiresAt }: ConsentTransaction) {
  const isIssuerAnnounced = server.authorization_response_iss_parameter_supported === true
  return { redirectUri, state, issuer: server.issuer, isIssuerAnnounced, expiresAt }
}

interface Answer {
  readonly transaction: ConsentTransaction
  readonly id: string
  readonly code: string
}

async function redeem(
  held: HeldGrant,
  { transaction, id, code }: Answer,
  { registration: registrations, http, proofs }: ConsentContext,
): Promise<ReadyGrant> {
  const { binding, scopes, resource, server, trust, redirectUri, codeVerifier, proofKey } = transaction
  if (held.record?.consent?.id !== id) {
    throw new ConsentError('expired', 'Another consent has taken the place of this one, or the user has left')
  }
  if ((proofKey === undefined) !== (proofs === undefined))
    throw new ConsentError('mismatch', 'The consent was begun with another `dpop` than this one')
  const registration = await registrationOf(registrations, binding)
  const exchange = async (lost: AbortSignal): Promise<TokenOutcome> => {
    const outcome = await requestToken((form) => http.send(form, trust), {
      server,
      registration,
      parameters: {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
        resource,
      },
      holder: proofKey && proofs?.of(proofKey),
      signal: lost,
    })
    return outcome.ok ? { ok: true, token: { scope: scopes, ...outcome.token } } : outcome
  }
  return held.issue({
    requested: [...new Set([...held.record.requested, ...scopes])],
    consumes: 'code',
    keep: { ...(resource !== undefined && { resource }), ...(proofKey && { proofKey }) },
    exchange,
  })
}

/**
 * Nobody new is sent to where a user came from with an answer that nothing waits for: a store that failed, or a process that
 * ended, after the transaction was taken left it open. An exchange of that answer under way elsewhere goes on.
 */
async function withdrawConsent(context: ConsentContext, id: string, signal: AbortSignal): Promise<void> {
  const { store, registration: registrations } = context
  if (typeof registrations === 'function') return
  for (const registration of [registrations].flat()) {
    const binding = consentBinding(registration, context)
    await holdGrant(store, binding, { signal }, async (held) => {
      const { record } = held
      if (record?.consent?.id !== id) return
      await held.save({ ...record, consent: { ...record.consent, expiresAt: 0 } })
    })
  }
}

/** Nobody is sent to where a consent has ended. What the user would not grant is remembered beside the grant there is. */
async function endConsent(
  { store }: ConsentContext,
  { binding, scopes }: ConsentTransaction,
  id: string,
  error: unknown,
): Promise<void> {
  const isDenied = error instanceof ConsentError && error.reason === 'denied'
  const ended = holdGrant(store, binding, { signal: AbortSignal.timeout(10_000) }, async (held) => {
    if (held.record?.consent?.id !== id) return
    const rest = settled(held.record) ?? { requested: held.record.requested }
    const granted = usableGrant(held.record)?.granted ?? []
    const missing = scopes.filter((scope) => !granted.includes(scope))
    const until = Date.now() + refusalMilliseconds
    await held.save({ ...rest, ...(isDenied && { refused: { scopes: missing, until } }) })
  })
  // What is told is why the consent came to nothing; a store that fails as well is found out with the next call.
  await ended.catch(() => undefined)
}
