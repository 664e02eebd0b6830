/** Repeatable chance: the same seed gives the same choices. */
export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
}

/** Mulberry32, mixed with the number of the request so that each can be made again alone. */
export function randomOf(seed: number, index: number): Random {
  let state = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    int,
    chance: (probability) => next() < probability,
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new RangeError('Nothing to pick from')
      return from[int(from.length)] as T
    },
  }
}
