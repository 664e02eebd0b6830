import type { Principal } from '../../oauth/principal.js'
import { readConfirmation } from '../confirmation.js'
import { deepFreeze } from '../deep-freeze.js'
import { namesAudience } from '../named-audience.js'
import { scopeList } from '../scope-list.js'
import type { Confirmation, RefusalReason } from '../resource-server.js'
import { timeProblem, type TimeRules } from '../token-times.js'

type Claims = Readonly<Record<string, unknown>>

/** What the claims of an access token must say. */
export interface ClaimRules extends TimeRules {
  readonly issuer: string
  readonly audiences: ReadonlySet<string>
  readonly profile: 'rfc9068' | 'relaxed'
  readonly subjectFrom: 'sub' | 'client_id'
  readonly scopeClaims: readonly string[]
  readonly expandScopes: (granted: Iterable<string>) => readonly string[]
}

/** Who the claims say is asking. */
export interface ReadClaims {
  readonly principal: Principal
  readonly confirmation: Confirmation | undefined
}

const relaxedClientClaims = ['client_id', 'azp', 'cid', 'appid']
const idTokenClaims = ['nonce', 'at_hash', 'c_hash']

/**
 * Checks the claims at a moment (seconds since the epoch) and says who is asking, or why not.
 *
 * RFC 9068 §4, RFC 7519 §4.1.
 */
export function readPrincipal(claims: Claims, rules: ClaimRules, now: number): ReadClaims | RefusalReason {
  if (claims['iss'] !== rules.issuer) return 'issuer'
  if (rules.profile === 'relaxed' && isIdToken(claims)) return 'type'
  if (!namesAudience(claims['aud'], rules.audiences)) return 'audience'
  if (rules.profile === 'rfc9068' && claims['iat'] === undefined) return 'claims'
  const problem = timeProblem(claims, rules, now)
  if (problem !== undefined) return problem
  const confirmation = readConfirmation(claims['cnf'])
  if (confirmation === 'proof') return 'proof'
  if (rules.profile === 'rfc9068' && !(isText(claims['jti']) && isText(claims['client_id']))) return 'claims'
  const clientId = readClientId(claims, rules.profile)
  const subject = rules.subjectFrom === 'client_id' ? clientId : claims['sub']
  const scopes = readScopes(claims, rules.scopeClaims)
  if (clientId === null || !isText(subject) || scopes === undefined) return 'claims'
  const principal = deepFreeze({
    issuer: rules.issuer,
    subject,
    ...(clientId === undefined ? {} : { clientId }),
    scopes: rules.expandScopes(scopes),
    expiresAt: claims['exp'] as number,
    claims,
  })
  return { principal, confirmation }
}

function isIdToken(claims: Claims): boolean {
  return claims['token_use'] === 'id' || idTokenClaims.some((name) => claims[name] !== undefined)
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
