import type { AuthorizationStore } from './authorization-store.js'
import { underLease, type LeaseTerms, type OpenLease, type WaitOptions } from './lease.js'
import { leasedRecord } from './leased-record.js'
import { leasedTransactions } from './leased-transactions.js'
import type { RecordCipher } from './record-cipher.js'
import { recordPlace, sortedKeys } from './record-place.js'
import type { RecordStorage } from './record-storage.js'

interface LeasedStoreParts {
  readonly namespace: string
  readonly storage: RecordStorage
  readonly cipher: RecordCipher
  readonly terms: LeaseTerms
}

/** A store of one namespace over any backend: locks first, then sealed texts. */
export function leasedStore({ namespace, storage, cipher, terms }: LeasedStoreParts): AuthorizationStore {
  const at = (kind: 'credential' | 'transactions', key: string) => {
    const place = recordPlace(namespace, kind, key)
    return { name: place.name, open: (lease: OpenLease) => leasedRecord(place, { storage, cipher }, lease) }
  }
  const transactions = at('transactions', '')
  return {
    async withCredentials(keys, use, { signal, waitMilliseconds }: WaitOptions = {}) {
      const records = sortedKeys(keys).map((key) => ({ key, ...at('credential', key) }))
      const names = records.map(({ name }) => name)
      return underLease(names, terms, { signal, waitMilliseconds }, (lease) => {
        const opened = records.map(({ key, open }) => {
          const record = open(lease)
          const load = () => record.load()
          const save = (value: Uint8Array) => record.save(value)
          return [key, { key, load, save, remove: () => record.remove() }] as const
        })
        return use(new Map(opened), { lost: lease.lost })
      })
    },
    transactions: leasedTransactions((signal, use) =>
      underLease([transactions.name], terms, { signal }, (lease) => use(transactions.open(lease))),
    ),
  }
}
