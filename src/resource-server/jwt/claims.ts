import type { Principal } from '../../oauth/principal.js'
import { readConfirmation } from '../confirmation.js'
import { deepFreeze } from '../deep-freeze.js'
import { scopeList } from '../scope-list.js'
import type { Confirmation, RefusalReason } from '../resource-server.js'
import { timeProblem, type TimeRules } from '../token-times.js'
import { isForUs, type AudienceRules } from './audience-rules.js'
import type { ProfileRules } from './profile-rules.js'
import { hasRequiredValues, type RequiredValues } from './required-values.js'

type Claims = Readonly<Record<string, unknown>>

/** What the claims of an access token must say. */
export interface ClaimRules extends TimeRules, AudienceRules, ProfileRules {
  /** What principals name as their issuer. */
  readonly issuer: string
  /** What tokens may say in `iss`. */
  readonly issuers: ReadonlySet<string>
  readonly requiredValues: RequiredValues
  readonly subjectFrom: 'sub' | 'client_id'
  readonly scopeClaims: readonly string[]
  /** From the scopes of a token to those of its principal. */
  readonly expandScopes: (granted: readonly string[]) => readonly string[]
}

/** Who the claims say is asking. */
export interface ReadClaims {
  readonly principal: Principal
  readonly confirmation: Confirmation | undefined
}

const idTokenClaims = ['nonce', 'at_hash', 'c_hash']

/**
 * Checks the claims at a moment (seconds since the epoch) and says who is asking, or why not.
 *
 * RFC 9068 §4, RFC 7519 §4.1.
 */
export function readPrincipal(claims: Claims, rules: ClaimRules, now: number): ReadClaims | RefusalReason {
  if (!rules.issuers.has(claims['iss'] as string)) return 'issuer'
  if (rules.profile === 'relaxed' && isIdToken(claims)) return 'type'
  if (!isForUs(claims, rules)) return 'audience'
  if (!hasRequiredValues(claims, rules.requiredValues)) return 'claims'
  if (rules.profile === 'rfc9068' && claims['iat'] === undefined) return 'claims'
  const problem = timeProblem(claims, rules, now)
  if (problem !== undefined) return problem
  const confirmation = readConfirmation(claims['cnf'])
  if (confirmation === 'proof') return 'proof'
  if (rules.profile === 'rfc9068' && !isText(claims['jti'])) return 'claims'
  const clientId = readClientId(claims, rules)
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

/** `undefined` when the token may be and is silent about its client, `null` when nobody can tell who that is. */
function readClientId(
  claims: Claims,
  { clientIdClaims, clientIdRequired }: ClaimRules,
): string | undefined | null {
  const value = clientIdClaims.map((name) => claims[name]).find((found) => found !== undefined)
  if (value === undefined) return clientIdRequired ? null : undefined
  return isText(value) ? value : null
}

function readScopes(claims: Claims, names: readonly string[]): readonly string[] | undefined {
  const lists = names.map((name) => scopeList(claims[name]))
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined
}
