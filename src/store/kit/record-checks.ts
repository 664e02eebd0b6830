import assert from 'node:assert/strict'
import { DefinitionError } from '../../errors.js'
import { bytes, expectCode, keyOf, recordOf, using, type StoreCheckDefinition } from './store-check.js'

const key = keyOf('one')
const anotherKey = keyOf('another')
const values: readonly Uint8Array[] = [
  new Uint8Array(0),
  new Uint8Array([0]),
  Uint8Array.from({ length: 256 }, (_, index) => index),
  bytes('null'),
  new Uint8Array(100_000).fill(0xff),
]

/** What a record is, and how long a write stands. */
export const recordChecks: readonly StoreCheckDefinition[] = [
  {
    name: 'a record that was never saved is undefined, and nothing else is (D9)',
    async check({ one }) {
      assert.equal(await using(one, key, (record) => record.load()), undefined)
      await using(one, key, (record) => record.save(new Uint8Array(0)))
      assert.equal((await using(one, key, (record) => record.load()))?.length, 0)
    },
  },
  {
    name: 'every value comes back byte for byte, in another instance (B155)',
    async check({ one, two }) {
      for (const value of values) {
        await using(one, key, (record) => record.save(value))
        const loaded = await using(two, key, (record) => record.load())
        assert.deepEqual([...(loaded ?? [])], [...value])
      }
    },
  },
  {
    name: 'a record is what was saved last, also under the same lease',
    async check({ one, two }) {
      await using(one, key, async (record) => {
        for (const value of ['pending', 'ready']) {
          await record.save(bytes(value))
          assert.deepEqual(await record.load(), bytes(value))
        }
      })
      assert.deepEqual(await using(two, key, (record) => record.load()), bytes('ready'))
    },
  },
  {
    name: 'a removed record is gone, and may be saved and removed again (B120)',
    async check({ one, two }) {
      await using(one, key, (record) => record.save(bytes('x')))
      await using(one, key, async (record) => {
        await record.remove()
        await record.remove()
      })
      assert.equal(await using(two, key, (record) => record.load()), undefined)
      await using(two, key, (record) => record.save(bytes('y')))
      assert.deepEqual(await using(one, key, (record) => record.load()), bytes('y'))
    },
  },
  {
    name: 'every save stands by itself and stays when `use` throws later (D13)',
    async check({ one, two }) {
      const failure = new Error('the exchange failed')
      const failing = one.withCredentials([key, anotherKey], async (records) => {
        await recordOf(records, key).save(bytes('pending'))
        throw failure
      })
      await assert.rejects(failing, (error) => error === failure)
      assert.deepEqual(await using(two, key, (record) => record.load()), bytes('pending'))
      assert.equal(await using(two, anotherKey, (record) => record.load()), undefined)
    },
  },
  {
    name: 'records of two keys are two records (F45)',
    async check({ one }) {
      await using(one, key, (record) => record.save(bytes('x')))
      assert.equal(await using(one, anotherKey, (record) => record.load()), undefined)
    },
  },
  {
    name: 'a record of another namespace is not seen and not written (F45, D13)',
    async check({ one, foreign }) {
      await using(one, key, (record) => record.save(bytes('mine')))
      assert.equal(await using(foreign, key, (record) => record.load()), undefined)
      await using(foreign, key, (record) => record.save(bytes('yours')))
      assert.deepEqual(await using(one, key, (record) => record.load()), bytes('mine'))
    },
  },
  {
    name: 'a record refuses to write when `use` is over (D3)',
    async check({ one }) {
      const escaped = await using(one, key, (record) => Promise.resolve({ record }))
      await expectCode(escaped.record.save(bytes('late')), 'ERR_STORE_CONFLICT')
      await expectCode(escaped.record.remove(), 'ERR_STORE_CONFLICT')
      assert.equal(await using(one, key, (record) => record.load()), undefined)
    },
  },
  {
    name: 'a key that is not 64 lower-case hexadecimal digits is refused, and `use` is not called (D23)',
    async check({ one }) {
      for (const wrong of ['', 'https://login.example.com', 'A'.repeat(64), `${'a'.repeat(64)}\n`]) {
        let called = false
        const use = () => Promise.resolve(void (called = true))
        await assert.rejects(one.withCredentials([key, wrong], use), DefinitionError)
        assert.equal(called, false)
      }
    },
  },
]
