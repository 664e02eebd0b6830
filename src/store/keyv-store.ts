import { DefinitionError } from '../errors.js'
import type { AuthorizationStore } from './authorization-store.js'
import type { DistributedLock } from './distributed-lock.js'
import { keyvStorage, type KeyvLike } from './keyv-storage.js'
import { leasedStore } from './leased-store.js'
import { recordCipher, type SealingKey } from './record-cipher.js'
import { checkedNamespace } from './record-place.js'
import { waitingLine } from './waiting-line.js'

export interface KeyvAuthorizationStoreOptions {
  /** A `Keyv` 5 over any adapter. It and its adapter are made to throw errors (`throwOnErrors`). */
  readonly keyv: KeyvLike
  /** `redisLock`, `postgresLock`, or `'single-process'` when no other process ever uses this backend. */
  readonly lock: DistributedLock | 'single-process'
  /** What records are sealed with. The first key seals, all of them open. */
  readonly keys: readonly SealingKey[]
  /** The user or the application whose grants these are. No store opens the records of another namespace. */
  readonly namespace: string
  /** How long a lock outlives a process that is gone, in milliseconds; 60 000 when left out, 1000 at least. */
  readonly leaseMilliseconds?: number
}

/** Callers of one process wait here, whatever store they came through, so a process asks for each lock once at a time. */
const line = waitingLine()

/**
 * Keeps grants in Keyv, sealed, each used by one caller at a time across all processes that share the lock. Make one per user
 * or application; it costs nothing.
 *
 * Keyv only overwrites: a process that is stopped between the check of its lease and its write, for longer than the lease, may
 * overwrite what came after. Its save then rejects with `ERR_STORE_UNCERTAIN`.
 *
 * Throws `DefinitionError` (`ERR_OPTION`).
 */
export function keyvAuthorizationStore(options: KeyvAuthorizationStoreOptions): AuthorizationStore {
  const { keyv, lock, keys, namespace, leaseMilliseconds = 60_000 } = options
  if (!Number.isSafeInteger(leaseMilliseconds) || leaseMilliseconds < 1000) {
    throw new DefinitionError('`leaseMilliseconds` must be a whole number from 1000', 'ERR_OPTION')
  }
  return leasedStore({
    namespace: checkedNamespace(namespace),
    cipher: recordCipher(keys),
    storage: keyvStorage(keyv),
    terms: { line, lock: checkedLock(lock), leaseMilliseconds },
  })
}

function checkedLock(lock: DistributedLock | 'single-process'): DistributedLock | undefined {
  if (lock === 'single-process') return undefined
  if (typeof (lock as Partial<DistributedLock> | undefined)?.acquire !== 'function') {
    throw new DefinitionError("`lock` must be a lock, or the word 'single-process'", 'ERR_OPTION')
  }
  return lock
}
