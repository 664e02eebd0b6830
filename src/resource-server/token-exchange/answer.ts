import type { HttpOutcome } from '../../network/http-outcome.js'
import { parseScope } from '../../oauth/scope.js'
import { parseStrictObject } from '../../oauth/strict-json.js'
import { TokenExchangeError } from './errors.js'

/** A token for an upstream API. It belongs in the `Authorization` header of requests to that API, and nowhere else. */
export interface UpstreamToken {
  readonly accessToken: string
  /** What was granted, if the answer says so; it may be less than what was asked for. */
  readonly scopes?: readonly string[]
  /** Seconds since the epoch; absent where the answer does not say. */
  readonly expiresAt?: number
}

export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
const issuedTypes: readonly unknown[] = [accessTokenType, 'urn:ietf:params:oauth:token-type:jwt']
const token = /^[A-Za-z0-9._~+/-]+=*$/
const errorName = /^[a-z_]{1,40}$/

/**
 * Reads what came of an exchange at a moment (seconds since the epoch): only 200 with an unambiguous Bearer access token
 * that is not the caller's own is one. RFC 8693 §2.2. Throws `TokenExchangeError`.
 */
export function readExchange(outcome: HttpOutcome, subjectToken: string, now: number): UpstreamToken {
  if (!outcome.ok) throw unavailable(outcome.fault)
  const { status, body } = outcome
  if (status === 429 || status >= 500) throw unavailable(`status ${status}`)
  const answer = parseStrictObject(body.toString('utf8'))
  if (status !== 200) throw refused(status, answer?.['error'])
  if (answer === undefined) throw broken('not one JSON object')
  return readToken(answer, subjectToken, now)
}

function readToken(answer: Record<string, unknown>, subjectToken: string, now: number): UpstreamToken {
  const { access_token: accessToken, issued_token_type: issued, token_type: type } = answer
  const { expires_in: lifetime, scope } = answer
  if (!issuedTypes.includes(issued)) throw broken('not an access token')
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') throw broken('not a Bearer token')
  if (typeof accessToken !== 'string' || !token.test(accessToken)) throw broken('no token')
  if (accessToken === subjectToken) throw broken('the token of the caller itself')
  if (lifetime !== undefined && !(typeof lifetime === 'number' && lifetime > 0 && lifetime < Infinity))
    throw broken('an impossible lifetime')
  const scopes = scope === undefined ? undefined : typeof scope === 'string' ? parseScope(scope) : null
  if (scopes === null || (scope !== undefined && scopes === undefined)) throw broken('scopes nobody can read')
  return Object.freeze({
    accessToken,
    ...(scopes !== undefined && { scopes: Object.freeze(scopes) }),
    ...(lifetime !== undefined && { expiresAt: now + lifetime }),
  })
}

function refused(status: number, error: unknown): TokenExchangeError {
  const oauthCode = typeof error === 'string' && errorName.test(error) ? error : undefined
  const message = `The token exchange was refused with status ${status}`
  return new TokenExchangeError('ERR_TOKEN_ENDPOINT', message, oauthCode)
}

function broken(what: string): TokenExchangeError {
  return new TokenExchangeError('ERR_TOKEN_ENDPOINT', `The token exchange was answered with ${what}`)
}

function unavailable(why: string): TokenExchangeError {
  return new TokenExchangeError(
    'ERR_AUTHORIZATION_UNAVAILABLE',
    `The token endpoint could not exchange the token: ${why}`,
  )
}
