import { bounded } from './bounded.js'
import type { OpenLease } from './lease.js'
import type { RecordCipher } from './record-cipher.js'
import type { RecordPlace } from './record-place.js'
import type { RecordStorage } from './record-storage.js'
import { StoreError } from './store-error.js'

/** One record while its lease is open. */
export interface LeasedRecord {
  load(): Promise<Uint8Array | undefined>
  save(value: Uint8Array, expiresAt?: number): Promise<void>
  remove(): Promise<void>
}

/**
 * Reads and writes one record. Every sealed text is unique, so the text itself is the version: a record that is not what this
 * lease has seen is somebody else's and is left alone. Backends only ever overwrite, so the lease is proven right before a
 * write, and the write is read back and the lease proven again right after.
 */
export function leasedRecord(
  { name, binding }: RecordPlace,
  { storage, cipher }: { readonly storage: RecordStorage; readonly cipher: RecordCipher },
  lease: OpenLease,
): LeasedRecord {
  /** What may stand in the backend for all this lease knows: one text, or two after a write of unknown outcome. */
  let seen: readonly (string | undefined)[] | undefined

  return {
    async load() {
      const text = await read()
      seen = [text]
      return text === undefined ? undefined : new Uint8Array(cipher.open(text, binding))
    },
    async save(value, expiresAt) {
      const text = cipher.seal(value, binding)
      await replace(text, () => storage.set(name, text, expiresAt))
    },
    remove: () => replace(undefined, () => storage.delete(name)),
  }

  async function read(): Promise<string | undefined> {
    try {
      return await bounded(storage.get(name))
    } catch (error) {
      if (error instanceof StoreError) throw error
      throw new StoreError('ERR_STORE_UNAVAILABLE', 'The record could not be read', error)
    }
  }

  async function replace(text: string | undefined, write: () => Promise<void>): Promise<void> {
    lease.lost.throwIfAborted()
    const current = await read()
    if (seen !== undefined && !seen.includes(current)) {
      throw new StoreError('ERR_STORE_CONFLICT', 'The record has changed since it was loaded')
    }
    await lease.prove()
    seen = [current, text]
    try {
      await bounded(write())
      const [found] = await Promise.all([read(), lease.prove()])
      if (found !== text) throw new Error('The backend says it has written, and has not')
    } catch (error) {
      throw new StoreError('ERR_STORE_UNCERTAIN', undefined, error)
    }
    seen = [text]
  }
}
