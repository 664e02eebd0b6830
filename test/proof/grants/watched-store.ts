import type { AuthorizationStore, CredentialRecord, TransactionStore } from 'castellan/store'

/** Where a grant is on its way: before and after each word with the store, by what is written. */
export type Step = `${'before' | 'after'} ${'load' | 'pending' | 'ready' | 'consent' | 'put' | 'take'}`

/** Told of every step; the store waits for it, and fails with what it rejects with. */
export type Watch = (step: Step, written?: Uint8Array) => Promise<void>

/** A store that does nothing unwatched. */
export function watchedStore(store: AuthorizationStore, watch: Watch): AuthorizationStore {
  return {
    withCredentials: (keys, use, options) =>
      store.withCredentials(
        keys,
        (records, lease) => {
          const all = [...records].map(([key, record]) => [key, watchedRecord(record, watch)] as const)
          return use(new Map(all), lease)
        },
        options,
      ),
    transactions: watchedTransactions(store.transactions, watch),
  }
}

function watchedRecord(record: CredentialRecord, watch: Watch): CredentialRecord {
  return {
    key: record.key,
    remove: () => record.remove(),
    load: () => around('load', () => record.load()),
    save: (value) => around(kindOf(value), () => record.save(value), value),
  }

  async function around<T>(
    kind: 'load' | 'pending' | 'ready' | 'consent',
    run: () => Promise<T>,
    written?: Uint8Array,
  ): Promise<T> {
    await watch(`before ${kind}`)
    const result = await run()
    await watch(`after ${kind}`, written)
    return result
  }
}

function watchedTransactions(transactions: TransactionStore, watch: Watch): TransactionStore {
  return {
    async put(...words) {
      await watch('before put')
      await transactions.put(...words)
      await watch('after put')
    },
    async take(...words) {
      await watch('before take')
      const taken = await transactions.take(...words)
      await watch('after take')
      return taken
    },
  }
}

function kindOf(value: Uint8Array): 'pending' | 'ready' | 'consent' {
  const { state, consent } = JSON.parse(Buffer.from(value).toString()) as {
    readonly state?: { readonly type: 'pending' | 'ready' }
    readonly consent?: unknown
  }
  return consent === undefined && state !== undefined ? state.type : 'consent'
}
