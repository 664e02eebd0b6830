import type { ProofDefect } from './possession/possession.js'
import type { RefusalReason } from './resource-server.js'

/** Why a request was turned away; for logs and metrics, never for the caller. */
export type RejectionReason =
  | 'query-token'
  | 'several-credentials'
  | 'no-credentials'
  | 'undecided'
  | 'insufficient-scope'
  | ProofDefect
  | RefusalReason

/** An answer given instead of the work: send status and headers with an empty body. */
export interface Rejection {
  readonly status: 400 | 401 | 403 | 503
  /** Lower-case names; `cache-control` always, `www-authenticate` unless the status is 503; `dpop-nonce` to use next. */
  readonly headers: Readonly<Record<string, string>>
  readonly reason: RejectionReason
  /** With `undecided`: what is missing, in words that name no host and no token. */
  readonly detail?: string
}

/** A rejection that asks for (other) credentials, or for a proof with the nonce. */
export function challengeRejection(
  status: 400 | 401 | 403,
  reason: RejectionReason,
  challenge: string,
  nonce?: string,
): Rejection {
  const headers = Object.freeze({
    'cache-control': 'no-store',
    'www-authenticate': challenge,
    ...(nonce !== undefined && { 'dpop-nonce': nonce }),
  })
  return Object.freeze({ status, headers, reason })
}

/** A rejection because nobody can tell now; without a challenge, so that no client throws its token away. */
export function undecidedRejection(detail: string, retryAfterSeconds: number | undefined): Rejection {
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) }
  const headers = Object.freeze({ 'cache-control': 'no-store', ...retry })
  return Object.freeze({ status: 503, headers, reason: 'undecided', detail })
}
