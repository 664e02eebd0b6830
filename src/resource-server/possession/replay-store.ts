import { count } from '../option-checks.js'

/** Remembers proofs so that each is good once. Shared by all instances that serve a resource. */
export interface ReplayStore {
  /**
   * Adds a key, a text of 43 characters, for some seconds in one atomic step; true the first time and false while it
   * is there. Rejects or throws when it cannot tell, which callers see as 503.
   */
  add(key: string, lifetimeSeconds: number): boolean | Promise<boolean>
}

/** Options of `memoryReplayStore`. */
export interface MemoryReplayStoreOptions {
  /** Most proofs kept at a time, 1 to 10,000,000. Default 100,000. */
  readonly maxProofs?: number
}

/**
 * Remembers proofs in this process: for one instance only. When it is full, further proofs are answered with 503
 * until older ones end; none is forgotten before its time. Throws `DefinitionError` (`ERR_OPTION`).
 */
export function memoryReplayStore(options: MemoryReplayStoreOptions = {}): ReplayStore {
  return memoryReplayStoreAt(options, Date.now)
}

/** @internal The same with a clock that tests can set. */
export function memoryReplayStoreAt(
  { maxProofs = 100_000 }: MemoryReplayStoreOptions,
  now: () => number,
): ReplayStore {
  count('maxProofs', maxProofs, 1, 10_000_000)
  const endOf = new Map<string, number>()
  let nextSweep = 0

  /**
   * Keys stand in the order they were added, which is the order they end in where all live equally long. Where it is full and they
   * do not, all are looked at, once a second.
   */
  function forgetEnded(moment: number): void {
    const isSweep = endOf.size >= maxProofs && moment >= nextSweep
    if (isSweep) nextSweep = moment + 1000
    for (const [key, end] of endOf) {
      if (end <= moment) endOf.delete(key)
      else if (!isSweep) return
    }
  }

  return Object.freeze({
    add(key: string, lifetimeSeconds: number) {
      const moment = now()
      forgetEnded(moment)
      if ((endOf.get(key) ?? 0) > moment) return false
      endOf.delete(key)
      if (endOf.size >= maxProofs) throw new Error('The replay store is full')
      endOf.set(key, moment + lifetimeSeconds * 1000)
      return true
    },
  })
}
