import type { TransactionStore } from './authorization-store.js'
import type { LeasedRecord } from './leased-record.js'
import { checkedHash } from './record-place.js'
import { StoreError } from './store-error.js'

/** Runs `use` with the one record that holds the transactions of a namespace, under its lease. */
type UnderLease = <T>(
  signal: AbortSignal | undefined,
  use: (record: LeasedRecord) => Promise<T>,
) => Promise<T>

interface Transaction {
  readonly value: string
  readonly expiresAt: number
}

/** How many transactions one user may have open; the one that ends first makes room for another. */
const openTransactions = 32
/** The record outlives its last transaction a little: what has expired is decided here, not by the backend. */
const spareMilliseconds = 60_000

/**
 * Transactions over one record per namespace, so that what was put and never taken is swept with the next one, in backends
 * without a lifetime too, and takes no room for ever.
 */
export function leasedTransactions(underLease: UnderLease): TransactionStore {
  return {
    put(stateHash, value, expiresAt, { signal } = {}) {
      checkedHash(stateHash)
      return underLease(signal, async (record) => {
        const open = await loadOpen(record)
        if (open.has(stateHash)) {
          throw new StoreError('ERR_STORE_CONFLICT', 'There is a transaction under this hash')
        }
        open.set(stateHash, { value: Buffer.from(value).toString('base64url'), expiresAt })
        const latest = [...open].sort(([, a], [, b]) => a.expiresAt - b.expiresAt).slice(-openTransactions)
        await saveOpen(record, new Map(latest))
      })
    },
    take(stateHash, { signal } = {}) {
      checkedHash(stateHash)
      return underLease(signal, async (record) => {
        const open = await loadOpen(record)
        const taken = open.get(stateHash)
        if (taken === undefined) return undefined
        open.delete(stateHash)
        await saveOpen(record, open)
        return new Uint8Array(Buffer.from(taken.value, 'base64url'))
      })
    },
  }
}

async function loadOpen(record: LeasedRecord): Promise<Map<string, Transaction>> {
  const bytes = await record.load()
  if (bytes === undefined) return new Map()
  const now = Date.now()
  const kept = JSON.parse(Buffer.from(bytes).toString()) as [string, Transaction][]
  return new Map(kept.filter(([, { expiresAt }]) => expiresAt > now))
}

async function saveOpen(record: LeasedRecord, open: ReadonlyMap<string, Transaction>): Promise<void> {
  if (open.size === 0) return record.remove()
  const lastEnd = Math.max(...[...open.values()].map(({ expiresAt }) => expiresAt))
  await record.save(Buffer.from(JSON.stringify([...open])), lastEnd + spareMilliseconds)
}
