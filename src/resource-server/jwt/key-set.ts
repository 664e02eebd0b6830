import { createLocalJWKSet, type CryptoKey, type JWK, type JWSHeaderParameters, type LocalJWKSet } from 'jose'
import { backOff, type Clock } from '../back-off.js'
import { selectKeys } from './key-selection.js'

type KeyLookup =
  | { readonly outcome: 'found'; readonly keys: readonly CryptoKey[]; readonly generation: number }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly retryAfterSeconds?: number }

/** The keys that may sign tokens. Nothing here throws or rejects. */
export interface KeySet {
  /** Grows whenever a key was added, removed or replaced. */
  readonly generation: number
  /** Finds the keys for a token header, reading the set first when it is missing, old or lacks the key. */
  find(header: JWSHeaderParameters): Promise<KeyLookup>
  /** Looks again after a signature failed, in case the key was replaced under the same name. */
  findAgain(header: JWSHeaderParameters, generation: number): Promise<KeyLookup>
}

/** Reads the published keys once. Never rejects. */
export type KeyLoader = () => Promise<LoadedKeys>
export type LoadedKeys =
  { readonly ok: true; readonly keys: readonly JWK[] } | { readonly ok: false; readonly reason: string }

interface ReadKeys {
  readonly set: LocalJWKSet
  readonly text: string
  readonly generation: number
  readonly readAt: number
}

const maxAge = 600_000
const refreshAhead = 0.8 * maxAge
const cooldown = 30_000

/** A key set that never changes. */
export function staticKeySet(keys: readonly JWK[]): KeySet {
  const set = createLocalJWKSet({ keys: [...keys] })
  const find = (header: JWSHeaderParameters) => lookUp(set, 0, header)
  return { generation: 0, find, findAgain: find }
}

/**
 * A key set read from the authorization server on first use.
 *
 * One read at a time; a set lives ten minutes and is replaced as a whole, from 80 % of that in the background.
 * After a failed read the next one waits, and good keys are kept until their age and `staleIfErrorSeconds` end. An unknown key causes a
 * read at most once in 30 s, whether or not that succeeds.
 */
export function publishedKeySet(load: KeyLoader, clock: Clock, staleIfErrorSeconds: number): KeySet {
  const failing = backOff(clock)
  let current: ReadKeys | undefined
  let reading: Promise<void> | undefined
  let nextSearchAt = 0

  const age = () => (current === undefined ? Infinity : clock.now() - current.readAt)

  async function read(): Promise<void> {
    const loaded = await load()
    reading = undefined
    const replaced = loaded.ok ? replace(current, loaded.keys, clock.now()) : undefined
    if (replaced === undefined) failing.fail(loaded.ok ? 'keys: not usable' : loaded.reason)
    else {
      current = replaced
      failing.succeed()
    }
  }

  async function refresh(): Promise<void> {
    if (reading === undefined && failing.isActive) return
    await (reading ??= read())
  }

  function unavailable(): KeyLookup {
    const { reason = 'keys: not read', retryAfterSeconds } = failing
    return { outcome: 'unavailable', reason, retryAfterSeconds }
  }

  function lookUpCurrent(header: JWSHeaderParameters): KeyLookup | Promise<KeyLookup> {
    const isServable = age() < maxAge + staleIfErrorSeconds * 1000
    return current !== undefined && isServable
      ? lookUp(current.set, current.generation, header)
      : unavailable()
  }

  async function search(header: JWSHeaderParameters, seen: ReadKeys | undefined): Promise<KeyLookup> {
    if (current !== seen) return lookUpCurrent(header)
    if (reading === undefined) {
      if (clock.now() < nextSearchAt)
        return failing.reason === undefined ? { outcome: 'unknown' } : unavailable()
      nextSearchAt = clock.now() + cooldown
    }
    await refresh()
    return current === seen ? unavailable() : lookUpCurrent(header)
  }

  return {
    get generation() {
      return current?.generation ?? 0
    },
    async find(header) {
      const before = current
      if (age() >= maxAge) await refresh()
      else if (age() >= refreshAhead) void refresh()
      const seen = current
      const lookup = await lookUpCurrent(header)
      return lookup.outcome === 'unknown' && seen === before ? search(header, seen) : lookup
    },
    async findAgain(header, generation) {
      return current?.generation === generation ? search(header, current) : lookUpCurrent(header)
    },
  }
}

/** Undefined for keys nested so deeply that they cannot be compared or copied. */
function replace(current: ReadKeys | undefined, keys: readonly JWK[], readAt: number): ReadKeys | undefined {
  try {
    const text = JSON.stringify(keys)
    if (current?.text === text) return { ...current, readAt }
    const generation = (current?.generation ?? 0) + 1
    return { set: createLocalJWKSet({ keys: [...keys] }), text, generation, readAt }
  } catch {
    return undefined
  }
}

async function lookUp(set: LocalJWKSet, generation: number, header: JWSHeaderParameters): Promise<KeyLookup> {
  const selection = await selectKeys(set, header)
  if (selection.outcome === 'unusable')
    return { outcome: 'unavailable', reason: 'keys: the one needed is unusable' }
  return selection.outcome === 'found' ? { ...selection, generation } : selection
}
