import { authorizationStoreKit, memoryAuthorizationStore, type AuthorizationStore } from 'castellan/store'
import { expect, test } from 'vitest'

/** A store over another with one thing done wrong. */
type Break = (store: AuthorizationStore) => Partial<AuthorizationStore>

const breaks: Record<string, Break> = {
  'lets everybody in at once': (store) => ({
    withCredentials: async (keys, use) => {
      const records = new Map(keys.map((key) => [key, recordBeside(store, key)]))
      return use(records, { lost: new AbortController().signal })
    },
  }),
  'runs `use` twice': (store) => ({
    withCredentials: (keys, use, options) =>
      store.withCredentials(
        keys,
        async (records, lease) => {
          await use(records, lease)
          return use(records, lease)
        },
        options,
      ),
  }),
  'does not hear the signal': (store) => ({
    withCredentials: (keys, use, { waitMilliseconds } = {}) =>
      store.withCredentials(keys, use, waitMilliseconds === undefined ? {} : { waitMilliseconds }),
  }),
  'waits for ever': (store) => ({
    withCredentials: (keys, use, { signal } = {}) =>
      store.withCredentials(keys, use, signal ? { signal } : {}),
  }),
  'hands out records that were not asked for': (store) => ({
    withCredentials: (keys, use, options) => store.withCredentials([...keys, 'f'.repeat(64)], use, options),
  }),
  'loses an empty value': (store) => withRecords(store, (value) => (value?.length === 0 ? undefined : value)),
  'reads what is absent as empty': (store) => withRecords(store, (value) => value ?? new Uint8Array()),
  'gives a transaction to all who ask': (store) => {
    const taken = new Map<string, Promise<Uint8Array | undefined>>()
    const { transactions } = store
    const take = (hash: string) => {
      const value = taken.get(hash) ?? transactions.take(hash)
      taken.set(hash, value)
      return value
    }
    return { transactions: { put: (...words) => transactions.put(...words), take } }
  },
  'replaces a transaction': ({ transactions }) => ({
    transactions: {
      put: async (hash, ...words) => {
        await transactions.take(hash)
        await transactions.put(hash, ...words)
      },
      take: (...words) => transactions.take(...words),
    },
  }),
  'keeps transactions for ever': ({ transactions }) => ({
    transactions: {
      put: (hash, value) => transactions.put(hash, value, Date.now() + 1e9),
      take: (...words) => transactions.take(...words),
    },
  }),
}

function recordBeside(store: AuthorizationStore, key: string) {
  return {
    key,
    load: () => store.withCredentials([key], (records) => records.get(key)!.load()),
    save: (value: Uint8Array) => store.withCredentials([key], (records) => records.get(key)!.save(value)),
    remove: () => store.withCredentials([key], (records) => records.get(key)!.remove()),
  }
}

function withRecords(
  store: AuthorizationStore,
  change: (value: Uint8Array | undefined) => Uint8Array | undefined,
): Partial<AuthorizationStore> {
  return {
    withCredentials: (keys, use, options) =>
      store.withCredentials(
        keys,
        (records, lease) => {
          const changed = [...records].map(([key, record]) => {
            return [key, { ...record, load: async () => change(await record.load()) }] as const
          })
          return use(new Map(changed), lease)
        },
        options,
      ),
  }
}

async function findings(makeBroken: Break, sharedNamespaces = false): Promise<string[]> {
  const stores = new Map<string, AuthorizationStore>()
  const open = (namespace: string) => {
    const name = sharedNamespaces ? 'all' : namespace
    const sound = stores.get(name) ?? memoryAuthorizationStore()
    stores.set(name, sound)
    return { ...sound, ...makeBroken(sound) }
  }
  const found: string[] = []
  for (const { name, run } of authorizationStoreKit({ open })) {
    const hangs = new Promise((_resolve, reject) => setTimeout(reject, 500, new Error('hangs')).unref())
    await Promise.race([run(), hangs]).catch(() => found.push(name))
  }
  return found
}

test('a sound store passes', async () => {
  expect(await findings(() => ({}))).toEqual([])
})

test.each(Object.entries(breaks))('a store that %s does not', async (_name, makeBroken) => {
  expect(await findings(makeBroken)).not.toEqual([])
})

test('a store whose namespaces are one does not', async () => {
  expect(await findings(() => ({}), true)).not.toEqual([])
})

test('names are unique', () => {
  const never = () => {
    throw new Error('Only the names are wanted')
  }
  const names = authorizationStoreKit({ open: never, loseLeases: never, damageRecords: never }).map(
    ({ name }) => name,
  )
  expect(new Set(names).size).toBe(names.length)
})
