import type { AuthorizationServer } from 'oauth4webapi'
import type { HttpOutcome } from '../../network/bounded-http.js'
import type { Registration } from '../../oauth/registration/registration.js'
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
  return askTokenEndpoint(send, request, readTokenAnswer)
}

/**
 * Asks a token endpoint once (RFC 6749 §3.2, §5); nothing is ever sent again.
 *
 * An OAuth error is `TokenEndpointError`, whatever status it came with; an endpoint that is not reached, is busy or answers
 * nonsense is `AuthorizationUnavailableError`. No error holds a word of the answer but the code.
 */
export async function askTokenEndpoint<T>(
  send: SendForm,
  request: TokenRequest,
  read: ReadAnswer<T>,
): Promise<TokenOutcome<T>> {
  const { server, registration, parameters, signal } = request
  const url = server.token_endpoint
  if (url === undefined) return kept(new DiscoveryError('The authorization server has no token endpoint'))
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) form.set(name, value)
  const headers = new Headers({ accept: 'application/json' })
  try {
    await registration.authenticate(server, { client_id: registration.clientId }, form, headers)
  } catch {
    return kept(new TokenEndpointError('The client could not be authenticated; nothing was sent'))
  }
  const outcome = await send({ url, form, headers: Object.fromEntries(headers), signal })
  const what = `The token endpoint at ${new URL(url).host}`
  return outcome.ok ? answered(outcome, registration, what, read) : failed(outcome, what)
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
  if (status >= 400 || Object.hasOwn(members ?? {}, 'error')) {
    return { ok: false, error: refusal(what, code), usedUp: code === 'invalid_grant' }
  }
  const token = status === 200 ? read(members, quirks) : undefined
  if (token !== undefined) return { ok: true, token }
  return used(new AuthorizationUnavailableError(`${what} gave an answer that holds no token as it should`))
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
