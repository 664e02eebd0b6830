import { createHmac, createSecretKey, KeyObject, timingSafeEqual } from 'node:crypto'
import { amount, refuse } from '../option-checks.js'

/** Makes the server ask for nonces in proofs (RFC 9449 §9). */
export interface NonceOptions {
  /** At least 32 random bytes, the same on every instance. */
  readonly secret: Uint8Array | KeyObject
  /** How long a nonce is good, 10 to 86,400; a new one is given from half of it. Default 300. */
  readonly lifetimeSeconds?: number
}

/** Nonces that any instance with the secret can check; nothing is stored. */
export interface Nonces {
  current(): string
  accepts(nonce: unknown): boolean
}

/** Makes nonces for one resource, each for half a lifetime. Throws `DefinitionError` (`ERR_OPTION`). */
export function nonces(
  { secret, lifetimeSeconds = 300 }: NonceOptions,
  resource: string,
  now: () => number,
): Nonces {
  const key = checkedSecret(secret)
  amount('nonce.lifetimeSeconds', lifetimeSeconds, 10, 86_400)
  const period = () => Math.floor(now() / (lifetimeSeconds * 500))
  const nonceOf = (number: number) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['castellan dpop nonce', resource, lifetimeSeconds, number]))
      .digest('base64url')
  let made = { period: NaN, nonce: '', previous: '' }
  const presentNonces = () => {
    const present = period()
    if (made.period !== present) {
      made = { period: present, nonce: nonceOf(present), previous: nonceOf(present - 1) }
    }
    return made
  }
  return {
    current: () => presentNonces().nonce,
    accepts(nonce) {
      if (typeof nonce !== 'string') return false
      const { nonce: present, previous } = presentNonces()
      return isSame(nonce, present) || isSame(nonce, previous)
    },
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function checkedSecret(secret: KeyObject | Uint8Array): KeyObject {
  const key = secret instanceof Uint8Array && secret.length > 0 ? createSecretKey(secret) : secret
  if (!(key instanceof KeyObject) || (key.symmetricKeySize ?? 0) < 32) {
    refuse('nonce.secret', 'must be a secret of at least 32 bytes')
  }
  return key
}
