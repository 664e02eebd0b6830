import { calculateJwkThumbprint, compactVerify, importJWK, type CryptoKey, type JWK } from 'jose'
import { LRUCache } from 'lru-cache'

const publicMembers: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['EC', ['crv', 'x', 'y']],
  ['OKP', ['crv', 'x']],
  ['RSA', ['n', 'e']],
])
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']
const maxKeys = 1_000

/** The public key in the header of a proof, reduced to what makes it; undefined for anything else (RFC 9449 §4.2). */
export function publicJwk(value: unknown): JWK | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const given = value as Readonly<Record<string, unknown>>
  const names = publicMembers.get(given['kty'])
  if (names === undefined || secretMembers.some((name) => name in given)) return undefined
  const members = ['kty', ...names].map((name) => [name, given[name]] as const)
  if (!members.every(([, member]) => typeof member === 'string' && member !== '')) return undefined
  return Object.fromEntries(members)
}

/** Checks signatures by keys of a known thumbprint, each of which is imported once. */
export interface ProofKeys {
  /** Whether `jwk` has the thumbprint `jkt` (RFC 7638). */
  matches(jwk: JWK, jkt: string): Promise<boolean>
  /** Whether `jwk`, whose thumbprint is `jkt`, signed the proof. False also for a key that does not fit `algorithm`. */
  hasSigned(proof: string, algorithm: string, jwk: JWK, jkt: string): Promise<boolean>
}

export function proofKeys(): ProofKeys {
  const imported = new LRUCache<string, CryptoKey>({ max: maxKeys })

  async function keyFor(algorithm: string, jwk: JWK, jkt: string): Promise<CryptoKey> {
    const name = `${algorithm} ${jkt}`
    const known = imported.get(name)
    if (known !== undefined) return known
    const key = (await importJWK(jwk, algorithm)) as CryptoKey
    imported.set(name, key)
    return key
  }

  return {
    async matches(jwk, jkt) {
      return (await calculateJwkThumbprint(jwk)) === jkt
    },
    async hasSigned(proof, algorithm, jwk, jkt) {
      try {
        await compactVerify(proof, await keyFor(algorithm, jwk, jkt), { algorithms: [algorithm] })
        return true
      } catch {
        return false
      }
    },
  }
}
