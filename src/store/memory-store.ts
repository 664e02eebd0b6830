import type { AuthorizationStore } from './authorization-store.js'
import { leasedStore } from './leased-store.js'
import type { RecordCipher } from './record-cipher.js'
import { waitingLine } from './waiting-line.js'

/** Memory needs no seal: values are kept as they are. */
const unsealed: RecordCipher = {
  seal: (value) => Buffer.from(value).toString('base64url'),
  open: (text) => Buffer.from(text, 'base64url'),
}

/**
 * Keeps grants in memory, for as long as this process and this store last. For one user or one application, like every store.
 */
export function memoryAuthorizationStore(): AuthorizationStore {
  const records = new Map<string, string>()
  return leasedStore({
    namespace: 'memory',
    cipher: unsealed,
    storage: {
      get: (name) => Promise.resolve(records.get(name)),
      set: (name, text) => Promise.resolve(void records.set(name, text)),
      delete: (name) => Promise.resolve(void records.delete(name)),
    },
    terms: { line: waitingLine(), lock: undefined, leaseMilliseconds: 60_000 },
  })
}
