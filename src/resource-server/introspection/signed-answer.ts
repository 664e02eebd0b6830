import type { KeySet } from '../jwt/key-set.js'
import { checkSignature } from '../jwt/signature.js'
import { readToken, type HeaderRules } from '../jwt/token.js'
import { namesAudience } from '../named-audience.js'

/** Whose signed answers are good, and for whom they must be. */
export interface SignedAnswerRules {
  readonly issuer: string
  /** The names of this resource server: its client id, and the audiences of its tokens. */
  readonly recipients: ReadonlySet<string>
  readonly clockToleranceSeconds: number
}

const maxAgeSeconds = 60
const header: HeaderRules = {
  algorithms: new Set(['RS256', 'PS256', 'ES256', 'EdDSA']),
  types: new Set(['token-introspection+jwt']),
  allowMissingType: false,
}

/**
 * Opens a signed introspection answer (RFC 9701 §5): type, issuer, recipient, an `iat` of the last minute, signature.
 *
 * Gives what it holds, not yet looked at, or in a word what is wrong.
 */
export async function openSignedAnswer(
  jws: string,
  rules: SignedAnswerRules,
  keys: KeySet,
  now: number,
): Promise<{ readonly content: unknown } | string> {
  const read = readToken(jws, header)
  if (typeof read === 'string') return read
  const { iss, aud, iat, token_introspection: content } = read.claims
  if (iss !== rules.issuer) return 'issuer'
  if (!namesAudience(aud, rules.recipients)) return 'audience'
  const isFresh =
    typeof iat === 'number' &&
    iat <= now + rules.clockToleranceSeconds &&
    iat >= now - rules.clockToleranceSeconds - maxAgeSeconds
  if (!isFresh) return 'age'
  const signature = await checkSignature(jws, read.header, keys, header.algorithms)
  return signature.outcome === 'good' ? { content } : signature.reason
}
