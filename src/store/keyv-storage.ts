import { DefinitionError } from '../errors.js'
import type { RecordStorage } from './record-storage.js'
import { StoreError } from './store-error.js'

/** What is used of a `Keyv` 5. */
export interface KeyvLike {
  throwOnErrors: boolean
  readonly store: unknown
  get(key: string, options: { raw: true }): Promise<{ readonly value?: unknown } | undefined>
  set(key: string, value: string, ttl?: number): Promise<boolean>
  delete(key: string): Promise<boolean>
  on(event: 'error', listener: (error: unknown) => void): unknown
}

/**
 * Texts in Keyv. Keyv and its adapters swallow an outage unless told otherwise, and it would read as "absent": they are told
 * to throw, and nothing counts as absent while either has emitted an error meanwhile.
 */
export function keyvStorage(keyv: KeyvLike): RecordStorage {
  throwErrors(keyv)
  const watch = watchErrors(keyv)
  return {
    async get(name) {
      const errorsBefore = watch.count
      const entry = await keyv.get(name, { raw: true }).catch(told)
      if (entry === undefined) {
        if (watch.count === errorsBefore) return undefined
        throw new Error('The adapter emitted an error instead of an answer', { cause: watch.latest })
      }
      if (typeof entry.value !== 'string') throw new StoreError('ERR_STORE_CORRUPT')
      return entry.value
    },
    async set(name, text, expiresAt) {
      /** Zero keeps a default lifetime of this Keyv from grants. */
      const lifetime = expiresAt === undefined ? 0 : Math.max(1, Math.ceil(expiresAt - Date.now()))
      if (!(await keyv.set(name, text, lifetime))) throw new Error('Keyv has not written')
    },
    async delete(name) {
      await keyv.delete(name)
    },
  }
}

/** What is no JSON in the backend was not written by Keyv. */
function told(error: unknown): never {
  if (error instanceof SyntaxError) throw new StoreError('ERR_STORE_CORRUPT')
  throw error
}

function throwErrors(keyv: KeyvLike): void {
  if (typeof (keyv as Partial<KeyvLike> | undefined)?.throwOnErrors !== 'boolean') {
    throw new DefinitionError('`keyv` must be a Keyv 5, which can throw its errors', 'ERR_OPTION')
  }
  keyv.throwOnErrors = true
  const adapter = keyv.store
  if (typeof adapter === 'object' && adapter !== null && 'throwOnErrors' in adapter) {
    adapter.throwOnErrors = true
  }
}

interface ErrorWatch {
  count: number
  latest: unknown
}

const watches = new WeakMap<KeyvLike, ErrorWatch>()

/** One listener for each Keyv, however many stores share it. */
function watchErrors(keyv: KeyvLike): ErrorWatch {
  const known = watches.get(keyv)
  if (known !== undefined) return known
  const watch: ErrorWatch = { count: 0, latest: undefined }
  keyv.on('error', (error) => {
    watch.count++
    watch.latest = error
  })
  watches.set(keyv, watch)
  return watch
}
