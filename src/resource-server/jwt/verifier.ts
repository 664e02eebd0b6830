import { compactVerify, type CryptoKey } from 'jose'
import { readPrincipal, type ClaimRules, type ReadClaims } from './claims.js'
import { readToken, type HeaderRules } from './token.js'
import type { KeySet } from './key-set.js'
import type { RefusalReason } from '../resource-server.js'
import type { Verified } from '../token-cache.js'
import { hasExpired } from '../token-times.js'

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
    if (typeof read === 'string') return refused(read)
    const claims = readPrincipal(read.claims, rules, now() / 1000)
    if (typeof claims === 'string') return refused(claims)
    let lookup = await keys.find(read.header)
    if (lookup.outcome === 'unavailable') {
      const { reason, retryAfterSeconds } = lookup
      return {
        verification: { outcome: 'undecided', reason, ...(retryAfterSeconds && { retryAfterSeconds }) },
      }
    }
    if (lookup.outcome === 'unknown') return refused('key')
    if (!(await isSignedByOneOf(token, lookup.keys, rules.algorithms))) {
      lookup = await keys.findAgain(read.header, lookup.generation)
      if (lookup.outcome !== 'found') return refused('signature')
      if (!(await isSignedByOneOf(token, lookup.keys, rules.algorithms))) return refused('signature')
    }
    if (hasExpired(claims.principal.expiresAt, now() / 1000, rules.clockToleranceSeconds))
      return refused('expired')
    return accepted(claims, rules.clockToleranceSeconds, lookup.generation)
  }
}

async function isSignedByOneOf(
  token: string,
  keys: readonly CryptoKey[],
  algorithms: ReadonlySet<string>,
): Promise<boolean> {
  for (const key of keys) {
    try {
      await compactVerify(token, key, { algorithms: [...algorithms] })
      return true
    } catch {
      // The next key may fit.
    }
  }
  return false
}

function refused(reason: RefusalReason): Verified {
  return { verification: Object.freeze({ outcome: 'refused', reason }) }
}

function accepted(
  { principal, confirmation }: ReadClaims,
  clockToleranceSeconds: number,
  generation: number,
): Verified {
  return {
    verification: Object.freeze(
      confirmation === undefined
        ? { outcome: 'accepted', principal }
        : { outcome: 'bound', principal, confirmation },
    ),
    validUntil: (principal.expiresAt + clockToleranceSeconds) * 1000,
    generation,
  }
}
