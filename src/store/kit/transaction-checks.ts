import assert from 'node:assert/strict'
import { bytes, expectCode, keyOf, type StoreCheckDefinition } from './store-check.js'

const state = keyOf('state')
const anotherState = keyOf('another state')
const later = () => Date.now() + 600_000

/** What a browser takes away and brings back. */
export const transactionChecks: readonly StoreCheckDefinition[] = [
  {
    name: 'a transaction is taken once, by any instance (D13)',
    async check({ one, two }) {
      await one.transactions.put(state, bytes('verifier'), later())
      assert.deepEqual(await two.transactions.take(state), bytes('verifier'))
      assert.equal(await two.transactions.take(state), undefined)
      assert.equal(await one.transactions.take(state), undefined)
    },
  },
  {
    name: 'a transaction many want at once goes to one of them (D13)',
    async check({ one, two }) {
      await one.transactions.put(state, bytes('verifier'), later())
      const wanting = [one, two, one, two, one, two].map(({ transactions }) => transactions.take(state))
      const taken = (await Promise.all(wanting)).filter((value) => value !== undefined)
      assert.deepEqual(taken, [bytes('verifier')])
    },
  },
  {
    name: 'transactions do not replace each other (failures B110)',
    async check({ one, two }) {
      await Promise.all([
        one.transactions.put(state, bytes('first'), later()),
        two.transactions.put(anotherState, bytes('second'), later()),
      ])
      await expectCode(one.transactions.put(state, bytes('third'), later()), 'ERR_STORE_CONFLICT')
      assert.deepEqual(await one.transactions.take(state), bytes('first'))
      assert.deepEqual(await one.transactions.take(anotherState), bytes('second'))
    },
  },
  {
    name: 'a transaction that is unknown, expired or of another namespace is not there (B155, F45)',
    async check({ one, foreign }) {
      assert.equal(await one.transactions.take(state), undefined)
      await one.transactions.put(state, bytes('expired'), Date.now() - 1)
      assert.equal(await one.transactions.take(state), undefined)
      await one.transactions.put(state, bytes('mine'), later())
      assert.equal(await foreign.transactions.take(state), undefined)
      assert.deepEqual(await one.transactions.take(state), bytes('mine'))
    },
  },
  {
    name: 'a transaction is no credential under the same key',
    async check({ one }) {
      await one.transactions.put(state, bytes('verifier'), later())
      const loaded = await one.withCredentials([state], (records) =>
        Promise.resolve(records.get(state)?.load()),
      )
      assert.equal(loaded, undefined)
    },
  },
  {
    name: 'a signal that has aborted neither puts nor takes (B121)',
    async check({ one }) {
      const reason = new Error('the caller went away')
      const options = { signal: AbortSignal.abort(reason) }
      const told = (error: unknown) => error === reason
      await assert.rejects(one.transactions.put(state, bytes('x'), later(), options), told)
      await one.transactions.put(state, bytes('y'), later())
      await assert.rejects(one.transactions.take(state, options), told)
      assert.deepEqual(await one.transactions.take(state), bytes('y'))
    },
  },
]
