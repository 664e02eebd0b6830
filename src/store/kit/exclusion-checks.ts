import assert from 'node:assert/strict'
import type { AuthorizationStore } from '../authorization-store.js'
import { bytes, expectCode, held, keyOf, recordOf, using, type StoreCheckDefinition } from './store-check.js'

const key = keyOf('one')
const anotherKey = keyOf('another')
const times = 10

/** Reads a number, lets others in if they can get in, and writes the next. */
function increment(store: AuthorizationStore): Promise<void> {
  return using(store, key, async (record) => {
    const before = Number(new TextDecoder().decode(await record.load()))
    await new Promise(setImmediate)
    await record.save(bytes(String(before + 1)))
  })
}

/** Who may use a record, in which order, and who waits. */
export const exclusionChecks: readonly StoreCheckDefinition[] = [
  {
    name: 'one record is used by one caller at a time, across instances (F19, D13)',
    async check({ one, two }) {
      await Promise.all([one, two].flatMap((store) => Array.from({ length: times }, () => increment(store))))
      const count = await using(one, key, (record) => record.load())
      assert.deepEqual(count, bytes(String(2 * times)))
    },
  },
  {
    name: 'several keys are taken in one order, each once, so that nobody waits for ever (D13)',
    async check({ one, two }) {
      let inside = 0
      const use = async (records: ReadonlyMap<string, unknown>) => {
        assert.equal(++inside, 1)
        assert.deepEqual([...records.keys()], [key, anotherKey].sort())
        await new Promise(setImmediate)
        inside--
      }
      const orders = [
        [key, anotherKey],
        [anotherKey, key, anotherKey],
      ]
      await Promise.all([one, two].flatMap((store) => orders.map((keys) => store.withCredentials(keys, use))))
    },
  },
  {
    name: '`use` runs once, and what it gives is the answer (D8)',
    async check({ one }) {
      let runs = 0
      const use = () => Promise.resolve(++runs)
      assert.equal(await one.withCredentials([key], use), 1)
      assert.equal(runs, 1)
    },
  },
  {
    name: 'a `use` that throws is not repeated and lets the next one in (D8)',
    async check({ one, two }) {
      let runs = 0
      const failing = one.withCredentials([key], () => {
        runs++
        throw new RangeError('at once')
      })
      await assert.rejects(failing, RangeError)
      assert.equal(runs, 1)
      assert.equal(await using(two, key, () => Promise.resolve('in')), 'in')
    },
  },
  {
    name: 'a record that nobody uses is free while another is held (D13)',
    async check({ one, two }) {
      const { letGo } = await held(one, [key])
      assert.equal(await using(two, anotherKey, () => Promise.resolve('in')), 'in')
      await letGo()
    },
  },
  {
    name: 'the same key in another namespace is free (F45)',
    async check({ one, foreign }) {
      const { letGo } = await held(one, [key])
      assert.equal(await using(foreign, key, () => Promise.resolve('in')), 'in')
      await letGo()
    },
  },
  {
    name: 'who stops waiting is told why and never gets in; who waits behind does (B121, D13)',
    async check({ one, two }) {
      const { letGo } = await held(one, [key])
      const stopped = new AbortController()
      const reason = new Error('the caller went away')
      let entered = 0
      const enter = () => Promise.resolve(++entered)
      const leaving = using(two, key, enter, stopped.signal)
      const behind = using(two, key, () => Promise.resolve('in'))
      stopped.abort(reason)
      await assert.rejects(leaving, (error) => error === reason)
      await assert.rejects(using(one, key, enter, stopped.signal), (error) => error === reason)
      await letGo()
      assert.equal(await behind, 'in')
      assert.equal(entered, 0)
    },
  },
  {
    name: 'who stops waiting for a second record gives back the first (B121)',
    async check({ one, two }) {
      const [first = key, second = anotherKey] = [key, anotherKey].sort()
      const { letGo } = await held(one, [second])
      const waiting = two.withCredentials([first, second], () => Promise.resolve(), { waitMilliseconds: 100 })
      await expectCode(waiting, 'ERR_STORE_UNAVAILABLE')
      assert.equal(await using(two, first, () => Promise.resolve('in')), 'in')
      await letGo()
    },
  },
  {
    name: 'waiting ends after `waitMilliseconds`, and `use` is not called (D6)',
    async check({ one, two }) {
      const { letGo } = await held(one, [key])
      let entered = 0
      const enter = () => Promise.resolve(++entered)
      await expectCode(two.withCredentials([key], enter, { waitMilliseconds: 50 }), 'ERR_STORE_UNAVAILABLE')
      await letGo()
      assert.equal(entered, 0)
    },
  },
  {
    name: 'a lease that nobody takes is not lost while it is used (D3)',
    async check({ one }) {
      await using(one, key, (_record, { lost }) => {
        assert.equal(lost.aborted, false)
        return Promise.resolve()
      })
    },
  },
  {
    name: 'a lost lease rejects what is saved and removed, and what stands stays (D4, G60)',
    needs: 'loseLeases',
    async check({ one, two, loseLeases }) {
      await using(one, key, (record) => record.save(bytes('before')))
      await one.withCredentials([key], async (records, { lost }) => {
        const record = recordOf(records, key)
        await record.load()
        await loseLeases()
        await expectCode(record.save(bytes('late')), 'ERR_STORE_CONFLICT')
        await expectCode(record.remove(), 'ERR_STORE_CONFLICT')
        assert.equal(lost.aborted, true)
      })
      assert.deepEqual(await using(two, key, (record) => record.load()), bytes('before'))
    },
  },
]
