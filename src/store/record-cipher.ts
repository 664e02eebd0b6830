import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  KeyObject,
  createSecretKey,
  randomBytes,
} from 'node:crypto'
import { DefinitionError } from '../errors.js'
import { StoreError } from './store-error.js'

/** A key that seals records. */
export interface SealingKey {
  /** Its name, kept in clear beside every record it sealed: 1 to 64 printable ASCII characters, never used for another key. */
  readonly id: string
  /** 32 random bytes, from a key management service for example. Not a passphrase. */
  readonly key: Uint8Array | KeyObject
}

/** Turns values into texts for one place and back. */
export interface RecordCipher {
  seal(value: Uint8Array, binding: Uint8Array): string
  /** Throws `ERR_STORE_CORRUPT` for anything that was not sealed for this place with a known key. */
  open(text: string, binding: Uint8Array): Uint8Array
}

const version = 1
const saltLength = 32
const nonceLength = 12
const tagLength = 16

/**
 * Seals with AES-256-GCM. The first key seals; all of them open, so a new key is put in front and the old one stays until
 * everything has been saved again.
 *
 * A sealed record is `1 | length of id | id | salt (32) | nonce (12) | tag (16) | ciphertext` in base64url. Each record has a
 * key of its own, derived from the salt (HKDF-SHA-256, RFC 5869), so the number of records is not limited by the nonces.
 */
export function recordCipher(keys: readonly SealingKey[]): RecordCipher {
  const ring = keyRing(keys)
  const [current] = ring
  if (current === undefined) throw new DefinitionError('`keys` must hold one key at least', 'ERR_OPTION')
  const [currentId, currentKey] = current
  return {
    seal(value, binding) {
      const salt = randomBytes(saltLength)
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', recordKey(currentKey, salt), nonce, {
        authTagLength: tagLength,
      })
      cipher.setAAD(binding)
      const body = Buffer.concat([cipher.update(value), cipher.final()])
      const head = Buffer.concat([Buffer.from([version, currentId.length]), Buffer.from(currentId)])
      return Buffer.concat([head, salt, nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(text, binding) {
      const { id, salt, nonce, tag, body } = envelope(text)
      const key = ring.get(id)
      if (key === undefined) throw corrupt('A record is sealed with a key that is not among `keys`')
      const decipher = createDecipheriv('aes-256-gcm', recordKey(key, salt), nonce, {
        authTagLength: tagLength,
      })
      decipher.setAAD(binding)
      decipher.setAuthTag(tag)
      try {
        return Buffer.concat([decipher.update(body), decipher.final()])
      } catch {
        throw corrupt()
      }
    },
  }
}

function keyRing(keys: readonly SealingKey[]): Map<string, KeyObject> {
  if (!Array.isArray(keys)) throw new DefinitionError('`keys` must be a list', 'ERR_OPTION')
  const ring = new Map<string, KeyObject>()
  for (const { id, key } of keys as readonly SealingKey[]) {
    if (typeof id !== 'string' || !/^[\x21-\x7e]{1,64}$/.test(id) || ring.has(id)) {
      throw new DefinitionError('Every `id` in `keys` must be short, printable and its own', 'ERR_OPTION')
    }
    ring.set(id, secretKey(key))
  }
  return ring
}

function secretKey(key: Uint8Array | KeyObject): KeyObject {
  const secret = key instanceof Uint8Array ? createSecretKey(key) : key
  if (!(secret instanceof KeyObject) || secret.type !== 'secret' || secret.symmetricKeySize !== 32) {
    throw new DefinitionError('Every `key` in `keys` must be 32 random bytes', 'ERR_OPTION')
  }
  return secret
}

function recordKey(key: KeyObject, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, salt, 'castellan/1 record', 32))
}

function envelope(text: string) {
  const bytes = Buffer.from(text, 'base64url')
  const idEnd = 2 + (bytes[1] ?? 0)
  const saltEnd = idEnd + saltLength
  const nonceEnd = saltEnd + nonceLength
  const tagEnd = nonceEnd + tagLength
  if (bytes[0] !== version || bytes.length < tagEnd || bytes.toString('base64url') !== text) throw corrupt()
  return {
    id: bytes.toString('latin1', 2, idEnd),
    salt: bytes.subarray(idEnd, saltEnd),
    nonce: bytes.subarray(saltEnd, nonceEnd),
    tag: bytes.subarray(nonceEnd, tagEnd),
    body: bytes.subarray(tagEnd),
  }
}

function corrupt(message?: string): StoreError {
  return new StoreError('ERR_STORE_CORRUPT', message)
}
