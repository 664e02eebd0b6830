import { createPublicKey, type JsonWebKey } from 'node:crypto'
import type { JWK } from 'jose'
import { refuse, texts } from '../option-checks.js'

const knownAlgorithms = new Set<string>([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
])

/** Only signatures with public keys (RFC 8725 §3.1). */
export function checkedAlgorithms(algorithms: readonly string[]): ReadonlySet<string> {
  texts('algorithms', algorithms)
  const unknown = algorithms.find((name) => !knownAlgorithms.has(name))
  if (unknown !== undefined)
    refuse('algorithms', `holds ${unknown}, which is not a known signature with public keys`)
  if (algorithms.length === 0) refuse('algorithms', 'must not be empty')
  return new Set(algorithms)
}

/** Only public keys that can be read and fit the algorithms, RSA from 2048 bits (RFC 7518 §3.3). */
export function checkedKeys(keys: readonly JWK[], algorithms: ReadonlySet<string>): readonly JWK[] {
  const given: unknown = keys
  if (!Array.isArray(given) || !given.every((key) => typeof key === 'object' && key !== null))
    refuse('keys', 'must be a list of JSON Web Keys')
  if (keys.length === 0) refuse('keys', 'must not be empty')
  for (const key of keys) {
    if (key.kty === 'oct' || key.d !== undefined || key.priv !== undefined)
      refuse('keys', 'must be public keys')
    if (key.use !== undefined && key.use !== 'sig') refuse('keys', 'holds a key that is not for signatures')
    if (key.alg !== undefined && !algorithms.has(key.alg)) refuse('keys', `holds a key for ${key.alg}`)
    if ((modulusLength(key) ?? 2048) < 2048) refuse('keys', 'holds an RSA key shorter than 2048 bits')
  }
  return keys
}

function modulusLength(key: JWK): number | undefined {
  try {
    return createPublicKey({ key: key as JsonWebKey, format: 'jwk' }).asymmetricKeyDetails?.modulusLength
  } catch {
    return refuse('keys', 'holds a key that cannot be read')
  }
}
