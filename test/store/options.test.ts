import { generateKeyPairSync, randomBytes } from 'node:crypto'
import {
  fileAuthorizationStore,
  keyvAuthorizationStore,
  postgresLock,
  redisLock,
  type KeyvAuthorizationStoreOptions,
} from 'castellan/store'
import { Keyv } from 'keyv'
import { describe, expect, test } from 'vitest'

const keys = [{ id: '1', key: randomBytes(32) }]
const right = (): KeyvAuthorizationStoreOptions => ({
  keyv: new Keyv(),
  lock: 'single-process',
  keys,
  namespace: 'user',
})
const refusal = (option: string) =>
  expect.objectContaining({ code: 'ERR_OPTION', message: expect.stringContaining(`\`${option}\``) })

describe('options are checked when a store is made', () => {
  const passphrase = 'a passphrase of 32 characters !!'
  const wrong: [string, string, object][] = [
    ['no keyv', 'keyv', { keyv: undefined }],
    ['a Map', 'keyv', { keyv: new Map() }],
    ['a Keyv that cannot throw', 'keyv', { keyv: { get() {}, set() {}, delete() {}, on() {} } }],
    ['no lock', 'lock', { lock: undefined }],
    ['another word than single-process', 'lock', { lock: 'none' }],
    ['no keys', 'keys', { keys: undefined }],
    ['an empty list of keys', 'keys', { keys: [] }],
    ['a passphrase', 'keys', { keys: [{ id: '1', key: passphrase }] }],
    ['a short key', 'keys', { keys: [{ id: '1', key: randomBytes(16) }] }],
    ['a long key', 'keys', { keys: [{ id: '1', key: randomBytes(33) }] }],
    ['a public key', 'keys', { keys: [{ id: '1', key: generateKeyPairSync('ed25519').publicKey }] }],
    ['a key without a name', 'keys', { keys: [{ key: randomBytes(32) }] }],
    ['two keys of one name', 'keys', { keys: [...keys, ...keys] }],
    ['no namespace', 'namespace', { namespace: undefined }],
    ['an empty namespace', 'namespace', { namespace: '' }],
    ['a namespace that UTF-8 cannot tell from another', 'namespace', { namespace: 'user\ud800' }],
    ['a lease of less than a second', 'leaseMilliseconds', { leaseMilliseconds: 999 }],
    ['a lease that is no number', 'leaseMilliseconds', { leaseMilliseconds: Number.NaN }],
  ]
  test.each(wrong)('%s', (_name, option, change) => {
    expect(() => keyvAuthorizationStore({ ...right(), ...change })).toThrow(refusal(option) as never)
  })

  test('an error about a key says nothing of it (D25)', () => {
    expect(() =>
      keyvAuthorizationStore({ ...right(), keys: [{ id: '1', key: passphrase }] } as never),
    ).toThrow(expect.not.objectContaining({ message: expect.stringContaining(passphrase) }) as never)
  })

  test('the locks and the file store check theirs', () => {
    expect(() => redisLock(undefined as never)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION' }) as never,
    )
    expect(() => postgresLock({} as never)).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }) as never)
    const pool = { query: () => Promise.reject(new Error('never asked')) }
    for (const table of ['', 'a b', 'x; DROP TABLE keyv', 'Lock', 'a.b.c']) {
      expect(() => postgresLock(pool, { table })).toThrow(refusal('table') as never)
    }
    expect(() => fileAuthorizationStore({ directory: '', keys })).toThrow(refusal('directory') as never)
    expect(() => fileAuthorizationStore({ directory: 'grants', keys: [] })).toThrow(refusal('keys') as never)
  })
})
