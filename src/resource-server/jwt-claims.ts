import type { Principal } from '../oauth/principal.js'
import { parseScope, isScopeToken } from '../oauth/scope.js'
import { deepFreeze } from './deep-freeze.js'
import type { RefusalReason } from './resource-server.js'

type Claims = Readonly<Record<string, unknown>>

/** What the claims of an access token must say. */
export interface ClaimRules {
  readonly issuer: string
  readonly audiences: ReadonlySet<string>
  readonly profile: 'rfc9068' | 'relaxed'
  readonly subjectFrom: 'sub' | 'client_id'
  readonly scopeClaims: readonly string[]
  readonly expandScopes: (granted: Iterable<string>) => readonly string[]
  readonly clockToleranceSeconds: number
  readonly maxTokenLifetimeSeconds: number
}

const relaxedClientClaims = ['client_id', 'azp', 'cid', 'appid']
const idTokenClaims = ['nonce', 'at_hash', 'c_hash']

/**
 * Checks the claims at a moment (seconds since the epoch) and says who is asking, or why not.
 *
 * `exp` is exclusive, `nbf` and `iat` inclusive, all exact for fractions. RFC 9068 §4, RFC 7519 §4.1.
 */
export function readPrincipal(claims: Claims, rules: ClaimRules, now: number): Principal | RefusalReason {
  if (claims['iss'] !== rules.issuer) return 'issuer'
  if (rules.profile === 'relaxed' && isIdToken(claims)) return 'type'
  if (!namesAudience(claims['aud'], rules.audiences)) return 'audience'
  const problem = timeProblem(claims, rules, now)
  if (problem !== undefined) return problem
  if (claims['cnf'] !== undefined) return 'proof'
  if (rules.profile === 'rfc9068' && !(isText(claims['jti']) && isText(claims['client_id']))) return 'claims'
  const clientId = readClientId(claims, rules.profile)
  const subject = rules.subjectFrom === 'client_id' ? clientId : claims['sub']
  const scopes = readScopes(claims, rules.scopeClaims)
  if (clientId === null || !isText(subject) || scopes === undefined) return 'claims'
  return deepFreeze({
    issuer: rules.issuer,
    subject,
    ...(clientId === undefined ? {} : { clientId }),
    scopes: rules.expandScopes(scopes),
    expiresAt: claims['exp'] as number,
    claims,
  })
}

/** Whether a token that ends at `exp` has ended (RFC 7519 §4.1.4). */
export function hasExpired(exp: number, now: number, clockToleranceSeconds: number): boolean {
  return now >= exp + clockToleranceSeconds
}

function isIdToken(claims: Claims): boolean {
  return claims['token_use'] === 'id' || idTokenClaims.some((name) => claims[name] !== undefined)
}

function namesAudience(aud: unknown, audiences: ReadonlySet<string>): boolean {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return named.every((entry) => typeof entry === 'string') && named.some((entry) => audiences.has(entry))
}

function timeProblem(claims: Claims, rules: ClaimRules, now: number): RefusalReason | undefined {
  const { exp, nbf, iat } = claims
  const tolerance = rules.clockToleranceSeconds
  if (!isTime(exp) || (nbf !== undefined && !isTime(nbf)) || (iat !== undefined && !isTime(iat)))
    return 'claims'
  if (iat === undefined && rules.profile === 'rfc9068') return 'claims'
  if (exp - (iat ?? now + tolerance) > rules.maxTokenLifetimeSeconds) return 'claims'
  if (hasExpired(exp, now, tolerance)) return 'expired'
  return now < Math.max(nbf ?? 0, iat ?? 0) - tolerance ? 'not-yet-valid' : undefined
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** `undefined` when the token names no client, `null` when it does so in a way nobody can read. */
function readClientId(claims: Claims, profile: ClaimRules['profile']): string | undefined | null {
  const names = profile === 'relaxed' ? relaxedClientClaims : ['client_id']
  const value = names.map((name) => claims[name]).find((found) => found !== undefined)
  return value === undefined || isText(value) ? value : null
}

function readScopes(claims: Claims, names: readonly string[]): readonly string[] | undefined {
  const lists = names.map((name) => scopeList(claims[name]))
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined
}

function scopeList(value: unknown): readonly string[] | undefined {
  if (value === undefined) return []
  if (typeof value === 'string') return parseScope(value)
  return Array.isArray(value) && value.every(isScopeToken) ? value : undefined
}
