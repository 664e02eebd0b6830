import { memoryAuthorizationStore, type AuthorizationStore } from 'castellan/store'
import type { Secrets } from './secrets.js'
import { membersIn } from './wire.js'

const kept = new Set(['accessToken', 'refreshToken', 'codeVerifier', 'd', 'state', 'used'])

/** A store, in memory unless it is given; what is saved in it and would be a secret elsewhere is noted. */
export function recordedStore(secrets: Secrets, store = memoryAuthorizationStore()): AuthorizationStore {
  function note(bytes: Uint8Array): void {
    const record: unknown = JSON.parse(Buffer.from(bytes).toString())
    for (const [name, value] of membersIn(record, kept)) {
      secrets.add(name, value)
      // The state of a grant is a record of its own.
      for (const [inner, secret] of membersIn(value, kept)) secrets.add(inner, secret)
    }
  }
  return {
    withCredentials: (keys, use, options) =>
      store.withCredentials(
        keys,
        (records, lease) => {
          const noted = [...records].map(([key, record]) => {
            const save = (value: Uint8Array) => {
              note(value)
              return record.save(value)
            }
            return [key, { key, load: () => record.load(), remove: () => record.remove(), save }] as const
          })
          return use(new Map(noted), lease)
        },
        options,
      ),
    transactions: {
      take: (hash, options) => store.transactions.take(hash, options),
      put(hash, value, expiresAt, options) {
        note(value)
        return store.transactions.put(hash, value, expiresAt, options)
      },
    },
  }
}
