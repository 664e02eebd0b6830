import { onAbort } from '../network/on-abort.js'
import type { DistributedLock, HeldLock } from './distributed-lock.js'
import { StoreError } from './store-error.js'
import type { WaitingLine } from './waiting-line.js'

/** What stands under a lease: the records ask it before they write, and once more after. */
export interface OpenLease {
  readonly lost: AbortSignal
  /** Resolves when exclusivity is proven now; rejects with `ERR_STORE_CONFLICT`, or `ERR_STORE_UNAVAILABLE` when nobody can say. */
  prove(): Promise<void>
}

export interface LeaseTerms {
  readonly line: WaitingLine
  /** Undefined where one process is all there is. */
  readonly lock: DistributedLock | undefined
  readonly leaseMilliseconds: number
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  readonly waitMilliseconds?: number | undefined
}

/** Holds the locks of all names, in the order given, while `use` runs; renews them three times per lease. */
export async function underLease<T>(
  names: readonly string[],
  terms: LeaseTerms,
  wait: WaitOptions,
  use: (lease: OpenLease) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  const locks: HeldLock[] = []
  const turns: (() => void)[] = []
  const renewal = setInterval(() => void renew(locks, lost), terms.leaseMilliseconds / 3)
  try {
    await acquire(names, terms, wait, { lost, locks, turns })
    return await use({ lost: lost.signal, prove: () => prove(locks, lost) })
  } finally {
    clearInterval(renewal)
    lost.abort(new StoreError('ERR_STORE_CONFLICT', 'The lease of this record is over'))
    await Promise.allSettled(locks.map((lock) => lock.release()))
    for (const endTurn of turns) endTurn()
  }
}

/** Node fires a longer timer at once. */
const longestTimer = 2 ** 31 - 1

interface Holdings {
  readonly lost: AbortController
  readonly locks: HeldLock[]
  readonly turns: (() => void)[]
}

async function acquire(
  names: readonly string[],
  { line, lock, leaseMilliseconds }: LeaseTerms,
  { signal, waitMilliseconds = 30_000 }: WaitOptions,
  { lost, locks, turns }: Holdings,
): Promise<void> {
  signal?.throwIfAborted()
  const waiting = new AbortController()
  const timer = setTimeout(
    () => {
      waiting.abort(new StoreError('ERR_STORE_UNAVAILABLE', 'Somebody else holds this record for too long'))
    },
    Math.min(waitMilliseconds, longestTimer),
  )
  const forget = onAbort(signal, () => waiting.abort(signal?.reason))
  const forgetLease = onAbort(lost.signal, () => waiting.abort(lost.signal.reason))
  try {
    for (const name of names) {
      turns.push(await line.enter(name, waiting.signal))
      const options = { ttlMilliseconds: leaseMilliseconds, signal: waiting.signal }
      if (lock !== undefined) locks.push(await lock.acquire(name, options))
    }
    waiting.signal.throwIfAborted()
  } catch (error) {
    waiting.signal.throwIfAborted()
    throw new StoreError('ERR_STORE_UNAVAILABLE', 'The lock of this record cannot be acquired', error)
  } finally {
    clearTimeout(timer)
    forget()
    forgetLease()
  }
}

async function renew(locks: readonly HeldLock[], lost: AbortController): Promise<void> {
  try {
    const renewed = await Promise.all(locks.map((lock) => lock.renew()))
    if (renewed.includes(false)) lose(lost)
  } catch (error) {
    lose(lost, error)
  }
}

async function prove(locks: readonly HeldLock[], lost: AbortController): Promise<void> {
  lost.signal.throwIfAborted()
  let held: readonly boolean[]
  try {
    held = await Promise.all(locks.map((lock) => lock.isHeld()))
  } catch (error) {
    throw new StoreError('ERR_STORE_UNAVAILABLE', 'The lock of this record cannot be checked', error)
  }
  if (held.includes(false)) lose(lost)
  lost.signal.throwIfAborted()
}

function lose(lost: AbortController, cause?: unknown): void {
  lost.abort(new StoreError('ERR_STORE_CONFLICT', 'The lease of this record is lost', cause))
}
