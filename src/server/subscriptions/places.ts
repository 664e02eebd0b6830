import { WireError } from '../../errors.js'
import type { Identity } from '../changes/change.js'

/** Counts the streams of each principal. */
export class Places {
  readonly #most: number
  readonly #taken = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Takes a place, to be given back by the function that is returned. Throws `ERR_STREAMS` when none is free. */
  take(who: Identity | undefined): () => void {
    const key = who === undefined ? '' : `${who.issuer}\n${who.subject}`
    const taken = this.#taken.get(key) ?? 0
    if (taken >= this.#most) throw new WireError('ERR_STREAMS')
    this.#taken.set(key, taken + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      const left = (this.#taken.get(key) ?? 1) - 1
      if (left === 0) this.#taken.delete(key)
      else this.#taken.set(key, left)
    }
  }
}
