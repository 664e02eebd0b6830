import { readPrincipal, type ClaimRules } from './claims.js'
import { checkSignature } from './signature.js'
import { readToken, type HeaderRules } from './token.js'
import type { KeySet } from './key-set.js'
import type { Verified } from '../token-cache.js'
import { hasExpired } from '../token-times.js'
import { granted, refused, undecided } from '../verdict.js'

/**
 * Makes the function that decides about one JWT (RFC 9068 §4, RFC 8725).
 *
 * Header and claims come first, so a token that cannot be good costs no signature and reads no keys. Only
 * trouble with the keys is undecided; everything else that goes wrong is the fault of the token.
 */
export function jwtVerifier(
  rules: HeaderRules & ClaimRules,
  keys: KeySet,
  now: () => number,
): (token: string) => Promise<Verified> {
  return async (token) => {
    const read = readToken(token, rules)
    if (typeof read === 'string') return { verification: refused(read) }
    const claims = readPrincipal(read.claims, rules, now() / 1000)
    if (typeof claims === 'string') return { verification: refused(claims) }
    const signature = await checkSignature(token, read.header, keys, rules.algorithms)
    if (signature.outcome === 'unavailable') {
      return { verification: undecided(signature.reason, signature.retryAfterSeconds) }
    }
    if (signature.outcome === 'bad') return { verification: refused(signature.reason) }
    const { principal, confirmation } = claims
    if (hasExpired(principal.expiresAt, now() / 1000, rules.clockToleranceSeconds))
      return { verification: refused('expired') }
    return {
      verification: granted(principal, confirmation),
      validUntil: (principal.expiresAt + rules.clockToleranceSeconds) * 1000,
      generation: signature.generation,
    }
  }
}
