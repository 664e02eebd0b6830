import { createHash, timingSafeEqual } from 'node:crypto'
import { ConsentError } from '../errors.js'

/** What an answer has to fit: kept with the transaction from the moment the user is sent away. */
export interface ExpectedCallback {
  /** As sent. */
  readonly redirectUri: string
  readonly state: string
  /** Of the authorization server, byte for byte. */
  readonly issuer: string
  /** Whether the server announced that it names itself (`authorization_response_iss_parameter_supported`). */
  readonly isIssuerAnnounced: boolean
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

const maxLength = 16_384
const single = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'response']
const printable = /^[\x20-\x7e]+$/

/** Errors that may be named, since they are ours and not the server's words. RFC 6749 §4.1.2.1, RFC 8707 §2, OIDC Core §3.1.2.6. */
const knownErrors = new Set([
  'invalid_request',
  'unauthorized_client',
  'unsupported_response_type',
  'invalid_scope',
  'invalid_target',
  'server_error',
  'temporarily_unavailable',
  'interaction_required',
  'login_required',
  'consent_required',
])

/**
 * The state of an answer, to find its transaction by. `callbackUrl` is absolute, or a path with a query as a request line
 * has it. Throws `ConsentError` (`mismatch`).
 */
export function callbackState(callbackUrl: string): string {
  const start = callbackUrl.indexOf('?')
  const states = new URLSearchParams(start === -1 ? '' : callbackUrl.slice(start)).getAll('state')
  const [state = ''] = states
  if (callbackUrl.length > maxLength || states.length !== 1 || state === '') mismatch()
  return state
}

/**
 * Checks an answer against what was asked, in the order state, time, issuer, error, and gives its code. The transaction
 * has been taken by then, so whatever this says is final.
 *
 * Throws `ConsentError`: `denied` when the user refused, `failed` when the server did, `expired`, and `mismatch` for all
 * else. Nothing of the answer is in it. RFC 6749 §4.1.2, RFC 9207 §2.4.
 */
export function readCallback(expected: ExpectedCallback, callbackUrl: string): { readonly code: string } {
  const answer = answerAt(expected.redirectUri, callbackUrl)
  if (single.some((name) => answer.getAll(name).length > 1) || answer.has('response')) mismatch()
  if (!isSame(answer.get('state') ?? '', expected.state)) mismatch()
  if (Date.now() >= expected.expiresAt) throw new ConsentError('expired', 'The consent took too long')
  const issuer = answer.get('iss')
  if (issuer === null ? expected.isIssuerAnnounced : issuer !== expected.issuer) mismatch()
  const code = answer.get('code')
  const error = answer.get('error')
  if ((code === null) === (error === null)) mismatch()
  if (error !== null) throw refusal(error)
  if (code === null || !printable.test(code)) mismatch()
  return { code }
}

/** The parameters of an answer that came to exactly the redirect URI, its own query included. */
function answerAt(redirectUri: string, callbackUrl: string): URLSearchParams {
  if (callbackUrl.length > maxLength || callbackUrl.includes('#')) mismatch()
  const { origin } = new URL(redirectUri)
  const target = callbackUrl.startsWith('/') ? callbackUrl : withoutOrigin(origin, callbackUrl)
  const [path, query] = split(target)
  const [ownPath, ownQuery] = split(redirectUri.slice(origin.length))
  if (path !== ownPath) mismatch()
  const answer = new URLSearchParams(query)
  const own = new URLSearchParams(ownQuery)
  for (const name of new Set(own.keys())) {
    if (JSON.stringify(answer.getAll(name)) !== JSON.stringify(own.getAll(name))) mismatch()
  }
  return answer
}

function withoutOrigin(origin: string, url: string): string {
  if (!url.startsWith(`${origin}/`)) mismatch()
  return url.slice(origin.length)
}

function split(target: string): [path: string, query: string] {
  const start = target.indexOf('?')
  return start === -1 ? [target, ''] : [target.slice(0, start), target.slice(start + 1)]
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

function refusal(error: string): ConsentError {
  if (error === 'access_denied') return new ConsentError('denied', 'The consent was refused')
  const name = knownErrors.has(error) ? `: ${error}` : ''
  return new ConsentError('failed', `The authorization server gave no code${name}`)
}

function mismatch(): never {
  throw new ConsentError('mismatch', 'What came back is not the answer to what was asked')
}
