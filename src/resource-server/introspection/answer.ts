import type { Principal } from '../../oauth/principal.js'
import { readConfirmation } from '../confirmation.js'
import { deepFreeze } from '../deep-freeze.js'
import { namesAudience } from '../named-audience.js'
import type { Confirmation, RefusalReason, Verification } from '../resource-server.js'
import { scopeList } from '../scope-list.js'
import { timeProblem } from '../token-times.js'
import type { ClaimsReader } from '../typed-claims.js'
import { granted, refused, undecided } from '../verdict.js'

/** What an introspection answer must say. */
export interface AnswerRules {
  readonly issuer: string
  readonly audiences: ReadonlySet<string>
  /** Whether an answer without `aud` is refused. */
  readonly audienceRequired: boolean
  readonly subjectFrom: 'sub' | 'client_id'
  readonly expandScopes: (granted: readonly string[]) => readonly string[]
  readonly readClaims: ClaimsReader
  readonly clockToleranceSeconds: number
}

/** An answer that says whether the token is active; nothing else in it has been looked at. */
export interface IntrospectionAnswer {
  readonly active: boolean
  readonly [member: string]: unknown
}

/** How long a principal lives when the answer does not say. */
const silentLifetimeSeconds = 60

/**
 * Says who is asking, by an answer about their token at a moment (seconds since the epoch). RFC 7662 §2.2.
 *
 * A kind of token that nobody can present is the authorization server's to explain, so undecided. The token itself never
 * gets into the principal, should the answer repeat it.
 */
export function judgeAnswer(
  { active, ...members }: IntrospectionAnswer,
  token: string,
  rules: AnswerRules,
  now: number,
): Verification {
  if (!active) return refused('inactive')
  const type = tokenType(members['token_type'])
  if (type === 'unknown') return undecided('introspection: token type')
  const problem = memberProblem(members, rules, now)
  if (problem !== undefined) return refused(problem)
  const confirmation = confirmationOf(members, type)
  if (confirmation === 'proof') return refused('proof')
  const claims = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== token))
  const principal = readPrincipal(claims, rules, now)
  return principal === undefined ? refused('claims') : granted(principal, confirmation)
}

type Members = Readonly<Record<string, unknown>>
type TokenType = 'bearer' | 'dpop' | 'unknown'

function tokenType(value: unknown): TokenType {
  if (value === undefined) return 'bearer'
  const name = typeof value === 'string' ? value.toLowerCase() : ''
  return name === 'bearer' || name === 'dpop' ? name : 'unknown'
}

function memberProblem(members: Members, rules: AnswerRules, now: number): RefusalReason | undefined {
  const { iss, aud, exp = now + silentLifetimeSeconds, nbf, iat } = members
  if (iss !== undefined && iss !== rules.issuer) return 'issuer'
  if (aud === undefined ? rules.audienceRequired : !namesAudience(aud, rules.audiences)) return 'audience'
  const { clockToleranceSeconds } = rules
  return timeProblem({ exp, nbf, iat }, { clockToleranceSeconds, maxTokenLifetimeSeconds: Infinity }, now)
}

/** A DPoP token names its key, or its holder cannot be told from a thief (RFC 9449 §6.2). */
function confirmationOf(members: Members, type: TokenType): Confirmation | undefined | 'proof' {
  const confirmation = readConfirmation(members['cnf'])
  if (type !== 'dpop' || confirmation === 'proof') return confirmation
  return confirmation?.jkt === undefined ? 'proof' : confirmation
}

function readPrincipal(claims: Members, rules: AnswerRules, now: number): Principal | undefined {
  const { sub, client_id: clientId, exp } = claims
  const subject = rules.subjectFrom === 'client_id' ? clientId : sub
  const scopes = scopeList(claims['scope'])
  if (!isText(subject) || scopes === undefined) return undefined
  if (clientId !== undefined && !isText(clientId)) return undefined
  return rules.readClaims(
    deepFreeze({
      issuer: rules.issuer,
      subject,
      ...(clientId !== undefined && { clientId }),
      scopes: rules.expandScopes(scopes),
      expiresAt: typeof exp === 'number' ? exp : now + silentLifetimeSeconds,
      claims,
    }),
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
