import { bytes, expectCode, keyOf, using, type StoreCheckDefinition } from './store-check.js'

const key = keyOf('one')

/** What is there and cannot be read is never "absent". */
export const damageChecks: readonly StoreCheckDefinition[] = [
  {
    name: 'a damaged record rejects, again and again, until somebody removes it (D24, G60)',
    needs: 'damageRecords',
    async check({ one, two, damageRecords }) {
      await using(one, key, (record) => record.save(bytes('x')))
      await damageRecords()
      for (const store of [one, two, one]) {
        await expectCode(
          using(store, key, (record) => record.load()),
          'ERR_STORE_CORRUPT',
        )
      }
      await using(two, key, (record) => record.remove())
      await using(one, key, (record) => record.save(bytes('y')))
    },
  },
  {
    name: 'a damaged transaction rejects (D24, G60)',
    needs: 'damageRecords',
    async check({ one, damageRecords }) {
      await one.transactions.put(key, bytes('x'), Date.now() + 600_000)
      await damageRecords()
      await expectCode(one.transactions.take(key), 'ERR_STORE_CORRUPT')
    },
  },
]
