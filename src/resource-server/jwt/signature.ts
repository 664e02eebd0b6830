import { compactVerify, type CryptoKey, type JWSHeaderParameters } from 'jose'
import type { KeySet } from './key-set.js'

/** Whether a signature is good, by which key set; `unavailable` when the keys cannot be read. */
type SignatureCheck =
  | { readonly outcome: 'good'; readonly generation: number }
  | { readonly outcome: 'bad'; readonly reason: 'key' | 'signature' }
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly retryAfterSeconds?: number }

/** Checks the signature of a compact JWS; when it fails, once more in case the key was replaced under its name. */
export async function checkSignature(
  jws: string,
  header: JWSHeaderParameters,
  keys: KeySet,
  algorithms: ReadonlySet<string>,
): Promise<SignatureCheck> {
  const lookup = await keys.find(header)
  if (lookup.outcome === 'unavailable') return lookup
  if (lookup.outcome === 'unknown') return { outcome: 'bad', reason: 'key' }
  const { generation } = lookup
  if (await isSignedByOneOf(jws, lookup.keys, algorithms)) return { outcome: 'good', generation }
  const again = await keys.findAgain(header, generation)
  return again.outcome === 'found' && (await isSignedByOneOf(jws, again.keys, algorithms))
    ? { outcome: 'good', generation: again.generation }
    : { outcome: 'bad', reason: 'signature' }
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
