import { readPrincipal, type ClaimRules } from './claims.js'
import { checkSignature } from './signature.js'
import { readToken, type HeaderRules } from './token.js'
import type { KeySet } from './key-set.js'
import type { Verified } from '../token-cache.js'
import { hasExpired } from '../token-times.js'
import type { ClaimsReader } from '../typed-claims.js'
import { granted, refused, undecided } from '../verdict.js'

/**
 * Makes the function that decides about one JWT (RFC 9068 §4, RFC 8725).
 *
 * Header and claims come first, so a token that cannot be good costs no signature and reads no keys. Only
 * trouble with the keys is undecided; everything else that goes wrong is the fault of the token. The schema of a
 * host sees the claims of good tokens only.
 */
export function jwtVerifier(
  rules: HeaderRules & ClaimRules & { readonly readClaims: ClaimsReader },
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
    if (hasExpired(claims.principal.expiresAt, now() / 1000, rules.clockToleranceSeconds))
      return { verification: refused('expired') }
    const principal = rules.readClaims(claims.principal)
    if (principal === undefined) return { verification: refused('claims') }
    return {
      verification: granted(principal, claims.confirmation),
      validUntil: (principal.expiresAt + rules.clockToleranceSeconds) * 1000,
      generation: signature.generation,
    }
  }
}
