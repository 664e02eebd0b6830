import type { AuthorizationServer } from 'oauth4webapi'
import type { HttpOutcome } from '../../network/http-outcome.js'
import type { Registration } from '../../oauth/registration/registration.js'
import { fromHost } from '../from-host.js'
import type { KeyHolder, Possession } from '../possession/proofs.js'
import { AuthorizationUnavailableError, DiscoveryError, TokenEndpointError } from '../errors.js'
import { retryAfterSeconds } from './retry-after.js'
import { answerMembers, errorCode, readTokenAnswer, type TokenAnswerQuirks } from './token-answer.js'
import type { TokenOutcome } from './token-outcome.js'

/** One request for a token. */
export interface TokenRequest {
  /** Validated metadata: the only place from which the address for the secret is taken. */
  readonly server: AuthorizationServer
  readonly registration: Registration
  /** `grant_type` and what belongs to it; an undefined value is left out. */
  readonly parameters: Readonly<Record<string, string | undefined>>
  /** Who holds the key that the token is to be bound to; undefined for a bearer token. */
  readonly holder?: KeyHolder | undefined
  readonly signal?: AbortSignal
}

/** Sends one form to a URL; rules of the network are the sender's. */
export type SendForm = (request: {
  readonly url: string
  readonly form: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}) => Promise<HttpOutcome>

/** What an answer 200 gives; undefined for one that breaks the protocol. */
export type ReadAnswer<T> = (
  members: Readonly<Record<string, unknown>> | undefined,
  quirks: TokenAnswerQuirks,
) => T | undefined

/** Asks a token endpoint once for an access token, as `askTokenEndpoint`. */
export function requestToken(send: SendForm, request: TokenRequest): Promise<TokenOutcome> {
  const tokenType = request.holder === undefined ? 'Bearer' : 'DPoP'
  return askTokenEndpoint(send, request, (members, quirks) => readTokenAnswer(members, quirks, tokenType))
}

/**
 * Asks a token endpoint once (RFC 6749 §3.2, §5). Only where it refuses a proof for its nonce, and gives another, it is asked once
 * more (RFC 9449 §8); nothing else is ever sent again.
 *
 * An OAuth error is `TokenEndpointError`, whatever status it came with; an endpoint that is not reached, is busy or answers
 * nonsense is `AuthorizationUnavailableError`. No error holds a word of the answer but the code.
 */
export async function askTokenEndpoint<T>(
  send: SendForm,
  request: TokenRequest,
  read: ReadAnswer<T>,
): Promise<TokenOutcome<T>> {
  const { server, registration } = request
  const url = server.token_endpoint
  if (url === undefined) return kept(new DiscoveryError('The authorization server has no token endpoint'))
  const possession = request.holder?.at(url)
  const first = await sent(send, request, url, possession)
  const asksAgain = first !== undefined && takesNonce(first, registration, possession)
  const outcome = asksAgain ? await sent(send, request, url, possession) : first
  if (outcome === undefined)
    return kept(new TokenEndpointError('The client could not be authenticated; nothing was sent'))
  if (asksAgain) takesNonce(outcome, registration, possession)
  const what = `The token endpoint at ${new URL(url).host}`
  return outcome.ok ? answered(outcome, registration, what, read) : failed(outcome, what)
}

/** One request, with an authentication and a proof of its own; undefined when the client cannot be authenticated. */
async function sent(
  send: SendForm,
  { server, registration, parameters, signal }: TokenRequest,
  url: string,
  possession: Possession | undefined,
): Promise<HttpOutcome | undefined> {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) form.set(name, value)
  const headers = new Headers({ accept: 'application/json' })
  try {
    const client = { client_id: registration.clientId }
    await fromHost(() => registration.authenticate(server, client, form, headers), signal)
    if (possession !== undefined) headers.set('dpop', await possession.proof('POST'))
  } catch {
    return signal?.aborted === true ? { ok: false, fault: 'unreachable' } : undefined
  }
  return send({ url, form, headers: Object.fromEntries(headers), signal })
}

/** Keeps the nonce of an answer; whether the answer asks for the same again with it. */
function takesNonce(
  outcome: HttpOutcome,
  { quirks }: Registration,
  possession: Possession | undefined,
): boolean {
  if (!outcome.ok || possession === undefined) return false
  const { status, headers, body } = outcome
  const isTaken = possession.takeNonce(headers['dpop-nonce']?.toString())
  if (!isTaken || (status !== 400 && status !== 401)) return false
  return errorCode(answerMembers(body, headers['content-type'], quirks)) === 'use_dpop_nonce'
}

function answered<T>(
  { status, headers, body }: HttpOutcome & { readonly ok: true },
  { quirks }: Registration,
  what: string,
  read: ReadAnswer<T>,
): TokenOutcome<T> {
  const members = answerMembers(body, headers['content-type'], quirks)
  const code = errorCode(members)
  const wait = retryAfterSeconds(headers['retry-after'])
  if (status === 429 || status >= 500 || (code !== undefined && busyCodes.has(code))) {
    const error = new AuthorizationUnavailableError(
      `${what} is not available now (HTTP status ${status})`,
      wait,
    )
    return { ok: false, error, usedUp: lostBehind.has(status) }
  }
  if (status === 401) return kept(refusal(what, code ?? 'invalid_client'))
  if (status >= 400 || isGiven(members?.['error'])) {
    const usedUp = code === 'invalid_grant' || isGiven(members?.['access_token'])
    return { ok: false, error: refusal(what, code), usedUp }
  }
  const token = status === 200 ? read(members, quirks) : undefined
  if (token !== undefined) return { ok: true, token }
  return used(new AuthorizationUnavailableError(`${what} gave an answer that holds no token as it should`))
}

function isGiven(member: unknown): boolean {
  return member !== undefined && member !== null
}

function refusal(what: string, code: string | undefined): TokenEndpointError {
  return new TokenEndpointError(`${what} refused${code === undefined ? '' : `: ${code}`}`, code)
}

const busyCodes = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])
/** A gateway's words for an answer it did not get. */
const lostBehind = new Set([502, 504])

function failed({ fault }: HttpOutcome & { readonly ok: false }, what: string): Failed {
  switch (fault) {
    case 'refused':
      return kept(new DiscoveryError(`${what} has an address that may not be reached`))
    case 'unreachable':
      return kept(new AuthorizationUnavailableError(`${what} is not reached`))
    case 'redirect':
      return kept(new AuthorizationUnavailableError(`${what} redirects, which is never followed`))
    case 'size':
      return used(new AuthorizationUnavailableError(`${what} gave an answer that is too large`))
    default:
      return used(new AuthorizationUnavailableError(`${what} did not answer in time, or its answer was lost`))
  }
}

type Failed = TokenOutcome & { readonly ok: false }

function kept(error: Failed['error']): Failed {
  return { ok: false, error, usedUp: false }
}

function used(error: Failed['error']): Failed {
  return { ok: false, error, usedUp: true }
}
