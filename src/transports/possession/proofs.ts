import { hash, randomUUID } from 'node:crypto'
import { importJWK, SignJWT, type CryptoKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { DefinitionError } from '../../errors.js'
import type { ProofKey } from './proof-key.js'

/** Shows with each request to one URL that the key of a token is held (RFC 9449 §4). */
export interface Possession {
  /** The `DPoP` header of one sending, which serves once. */
  proof(method: string): Promise<string>
  /** Takes the `DPoP-Nonce` of an answer for the next proof, in this transport. Whether there is one that can be used. */
  takeNonce(nonce: string | undefined): boolean
}

/** Who holds one key. */
export interface KeyHolder {
  /** `url` is where requests go; `accessToken` what they carry, at a resource. */
  at(url: string, accessToken?: string): Possession
}

/** Makes the proofs of one transport, and remembers the nonces of the servers it talks to. */
export interface Proofs {
  of(key: ProofKey): KeyHolder
}

/** RFC 9449 §8.1, with a bound. */
const usable = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/

/** Proofs for a transport whose `dpop` is true; undefined where it is not. Throws `DefinitionError` (`ERR_OPTION`). */
export function proofsFor(dpop: unknown): Proofs | undefined {
  if (dpop !== undefined && typeof dpop !== 'boolean')
    throw new DefinitionError('`dpop` must be true or false', 'ERR_OPTION')
  return dpop === true ? proofs() : undefined
}

async function importKey(key: ProofKey): Promise<CryptoKey> {
  const imported = await importJWK(key, 'ES256')
  if (imported instanceof Uint8Array) throw new TypeError('A proof key is not symmetric')
  return imported
}

function proofs(): Proofs {
  // By URL and not by origin: a server that gives tokens and takes them as well has nonces for each (RFC 9449 §9).
  const nonces = new LRUCache<string, string>({ max: 64 })
  const imported = new WeakMap<ProofKey, Promise<CryptoKey>>()

  function privateKey(key: ProofKey): Promise<CryptoKey> {
    const before = imported.get(key)
    if (before !== undefined) return before
    const made = importKey(key)
    imported.set(key, made)
    return made
  }

  return {
    of: (key) => ({
      at(url, accessToken) {
        const { origin, pathname } = new URL(url)
        const htu = origin + pathname
        const ath = accessToken === undefined ? {} : { ath: hash('sha256', accessToken, 'base64url') }
        const { kty, crv, x, y } = key
        return {
          async proof(htm) {
            const nonce = nonces.get(htu)
            return new SignJWT({ htm, htu, ...ath, ...(nonce !== undefined && { nonce }) })
              .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } })
              .setJti(randomUUID())
              .setIssuedAt()
              .sign(await privateKey(key))
          },
          takeNonce(nonce) {
            if (nonce === undefined || !usable.test(nonce)) return false
            nonces.set(htu, nonce)
            return true
          },
        }
      },
    }),
  }
}
