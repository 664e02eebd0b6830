import { createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { keyvAuthorizationStore, type SealingKey } from 'castellan/store'
import { Keyv } from 'keyv'
import { describe, expect, test } from 'vitest'
import { recordCipher } from '../../src/store/record-cipher.js'

const oldKey = { id: '2025', key: randomBytes(32) }
const newKey = { id: '2026', key: createSecretKey(randomBytes(32)) }
const key = 'a'.repeat(64)
const otherKey = 'b'.repeat(64)

function storeOver(map: Map<string, string>, keys: readonly SealingKey[] = [oldKey], namespace = 'user') {
  return keyvAuthorizationStore({ keyv: new Keyv({ store: map }), lock: 'single-process', keys, namespace })
}

type Store = ReturnType<typeof storeOver>
const save = (store: Store, value: string, of = key) =>
  store.withCredentials([of], (records) => records.get(of)!.save(Buffer.from(value)))
const load = async (store: Store, of = key) => {
  const value = await store.withCredentials([of], (records) => records.get(of)!.load())
  return value && Buffer.from(value).toString()
}
const corrupt = { code: 'ERR_STORE_CORRUPT' }

describe('the seal', () => {
  test('opens to what was sealed, for any value and binding (D20)', () => {
    const cipher = recordCipher([oldKey])
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 80 }), (value, binding) => {
        expect([...cipher.open(cipher.seal(value, binding), binding)]).toEqual([...value])
      }),
    )
  })

  test('is refused when any byte is changed, added or missing (G60)', () => {
    const cipher = recordCipher([oldKey])
    const binding = Buffer.from('place')
    const sealed = Buffer.from(cipher.seal(Buffer.from('grant'), binding), 'base64url')
    const opening = (bytes: Uint8Array) => () =>
      cipher.open(Buffer.from(bytes).toString('base64url'), binding)
    sealed.forEach((byte, index) => {
      const changed = Buffer.from(sealed)
      changed[index] = byte ^ 1
      expect(opening(changed), `byte ${index}`).toThrow(expect.objectContaining(corrupt))
      expect(opening(sealed.subarray(0, index)), `${index} bytes`).toThrow(expect.objectContaining(corrupt))
    })
    expect(opening(Buffer.concat([sealed, Buffer.from([0])]))).toThrow(expect.objectContaining(corrupt))
  })

  test('is refused for any text that no store has written, and throws nothing else (G60)', () => {
    const cipher = recordCipher([oldKey])
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (text, bytes) => {
        for (const candidate of [text, Buffer.from(bytes).toString('base64url')]) {
          expect(() => cipher.open(candidate, Buffer.from('place'))).toThrow(expect.objectContaining(corrupt))
        }
      }),
    )
  })

  test('of one value is never the same twice', () => {
    const cipher = recordCipher([oldKey])
    const seals = Array.from({ length: 100 }, () => cipher.seal(Buffer.from('x'), Buffer.from('place')))
    expect(new Set(seals).size).toBe(100)
  })
})

describe('a sealed record', () => {
  test('tells nothing in clear: no value, no key, no namespace (D23)', async () => {
    const map = new Map<string, string>()
    const store = storeOver(map, [oldKey], 'alice@example.com')
    await save(store, 'canary-of-a-refresh-token')
    await store.transactions.put(otherKey, Buffer.from('canary-of-a-verifier'), Date.now() + 60_000)
    const everything = JSON.stringify([...map])
    for (const secret of [
      'canary',
      'alice',
      key,
      otherKey,
      Buffer.from('canary').toString('base64url').slice(0, 7),
    ]) {
      expect(everything).not.toContain(secret)
    }
    for (const name of map.keys()) expect(name).toMatch(/^keyv:[0-9a-f]{64}$/)
  })

  test('does not open in the place of another key or another namespace (D21, G60)', async () => {
    const map = new Map<string, string>()
    await save(storeOver(map), 'mine')
    await save(storeOver(map), 'other', otherKey)
    await save(storeOver(map, [oldKey], 'foreign'), 'foreign')
    const [mine, other, foreign] = [...map.keys()] as [string, string, string]
    const swapped = new Map([
      [mine, map.get(other)!],
      [other, map.get(foreign)!],
      [foreign, map.get(mine)!],
    ])
    await expect(load(storeOver(swapped))).rejects.toMatchObject(corrupt)
    await expect(load(storeOver(swapped), otherKey)).rejects.toMatchObject(corrupt)
    await expect(load(storeOver(swapped, [oldKey], 'foreign'))).rejects.toMatchObject(corrupt)
  })

  test('namespaces that only look alike are two (D21)', async () => {
    const map = new Map<string, string>()
    for (const namespace of ['a', 'a ', 'A', 'a\u0301', '\u00e1', 'a\0credential']) {
      await save(storeOver(map, [oldKey], namespace), namespace)
    }
    expect(map.size).toBe(6)
    expect(await load(storeOver(map, [oldKey], '\u00e1'))).toBe('\u00e1')
  })

  test('of an old key opens beside a new one and is sealed with the new one when it is saved (D22)', async () => {
    const map = new Map<string, string>()
    await save(storeOver(map), 'grant')
    expect(await load(storeOver(map, [newKey, oldKey]))).toBe('grant')
    await expect(load(storeOver(map, [newKey]))).rejects.toMatchObject(corrupt)
    await save(storeOver(map, [newKey, oldKey]), 'grant')
    expect(await load(storeOver(map, [newKey]))).toBe('grant')
    await expect(load(storeOver(map))).rejects.toMatchObject(corrupt)
  })

  test('that cannot be opened stays where it is (D24)', async () => {
    const map = new Map<string, string>()
    await save(storeOver(map), 'grant')
    const before = [...map]
    await expect(load(storeOver(map, [newKey]))).rejects.toMatchObject(corrupt)
    expect([...map]).toEqual(before)
  })

  test.each(['7', '{"value":null}', '{"value":7}', '{}', '{"value":""}', 'no json'])(
    'that reads %s in the backend is damaged, not absent (D24)',
    async (raw) => {
      const map = new Map<string, string>()
      await save(storeOver(map), 'grant')
      for (const name of map.keys()) map.set(name, raw)
      await expect(load(storeOver(map))).rejects.toMatchObject(corrupt)
    },
  )
})
