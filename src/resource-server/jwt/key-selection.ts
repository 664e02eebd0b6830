import { errors, type CryptoKey, type JWSHeaderParameters, type LocalJWKSet } from 'jose'

/** How many keys are tried when a token does not name exactly one. */
const maxCandidates = 4

/** Which keys of a set may have signed a token. */
export type KeySelection =
  | { readonly outcome: 'found'; readonly keys: readonly CryptoKey[] }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'unusable' }

/** Picks by `alg`, `kid`, `use` and `key_ops`; a key that cannot be imported is `unusable` only if it is the one. */
export async function selectKeys(set: LocalJWKSet, header: JWSHeaderParameters): Promise<KeySelection> {
  try {
    return { outcome: 'found', keys: [await set(header)] }
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return { outcome: 'unknown' }
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return { outcome: 'unusable' }
    const keys: CryptoKey[] = []
    for await (const key of error) if (keys.push(key) === maxCandidates) break
    return keys.length === 0 ? { outcome: 'unusable' } : { outcome: 'found', keys }
  }
}
