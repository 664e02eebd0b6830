import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import type { AuthorizationStore, CredentialRecord, Lease } from '../authorization-store.js'
import { StoreError } from '../store-error.js'

/** A backend, as the checks see it. */
export interface StoreUnderTest {
  /**
   * A store of this namespace. Asked for one namespace again, it answers as another instance of the application would: with a
   * store over the same records.
   */
  open(namespace: string): AuthorizationStore | Promise<AuthorizationStore>
  /** Takes all locks away from who holds them. Left out, what follows from that is not checked. */
  loseLeases?(): void | Promise<void>
  /** Puts something that no store has written in place of every record. Left out, what follows from that is not checked. */
  damageRecords?(): void | Promise<void>
}

/** One check: it gets stores of namespaces of its own. */
export interface StoreCheckDefinition {
  readonly name: string
  readonly needs?: 'loseLeases' | 'damageRecords'
  readonly check: (stores: CheckedStores) => Promise<void>
}

export interface CheckedStores {
  /** Two instances of one namespace. */
  readonly one: AuthorizationStore
  readonly two: AuthorizationStore
  /** Another namespace. */
  readonly foreign: AuthorizationStore
  readonly loseLeases: () => Promise<void>
  readonly damageRecords: () => Promise<void>
}

export async function checkedStores(tested: StoreUnderTest): Promise<CheckedStores> {
  const namespace = `kit-${randomUUID()}`
  return {
    one: await tested.open(namespace),
    two: await tested.open(namespace),
    foreign: await tested.open(`${namespace}-foreign`),
    loseLeases: async () => tested.loseLeases?.(),
    damageRecords: async () => tested.damageRecords?.(),
  }
}

/** A key as a transport would make it. */
export function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Uses one record. */
export function using<T>(
  store: AuthorizationStore,
  key: string,
  use: (record: CredentialRecord, lease: Lease) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const options = signal === undefined ? {} : { signal }
  return store.withCredentials([key], (records, lease) => use(recordOf(records, key), lease), options)
}

export function recordOf(records: ReadonlyMap<string, CredentialRecord>, key: string): CredentialRecord {
  const record = records.get(key)
  assert.ok(record !== undefined, 'Every key must have its record')
  assert.equal(record.key, key)
  return record
}

export async function expectCode(promise: Promise<unknown>, code: StoreError['code']): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof StoreError, `It must be a StoreError, and is ${String(error)}`)
    assert.equal(error.code, code)
    return true
  })
}

/** A promise and what resolves it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Holds records until `letGo` is called. */
export async function held(
  store: AuthorizationStore,
  keys: readonly string[],
): Promise<{ readonly letGo: () => Promise<void> }> {
  const entered = gate()
  const end = gate()
  const done = store.withCredentials(keys, () => {
    entered.open()
    return end.opened
  })
  await Promise.race([entered.opened, done])
  return {
    async letGo() {
      end.open()
      await done
    },
  }
}
