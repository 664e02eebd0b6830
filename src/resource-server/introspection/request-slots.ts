import { onAbort } from '../../network/on-abort.js'

/** So many requests at once, so many waiting for their turn. */
export interface RequestSlots {
  /** Takes a slot, in order; false when too many wait already or the signal aborts first. Each slot taken is given back. */
  take(signal: AbortSignal): boolean | Promise<boolean>
  giveBack(): void
}

/** Makes slots, all of them free. */
export function requestSlots(most: number, mostWaiting: number): RequestSlots {
  const waiting = new Set<() => void>()
  let taken = 0
  return {
    take(signal) {
      if (signal.aborted) return false
      if (taken < most) {
        taken += 1
        return true
      }
      if (waiting.size >= mostWaiting) return false
      return new Promise((resolve) => {
        const turn = () => {
          forget()
          resolve(true)
        }
        const forget = onAbort(signal, () => {
          waiting.delete(turn)
          resolve(false)
        })
        waiting.add(turn)
      })
    },
    giveBack() {
      const [next] = waiting
      if (next === undefined) {
        taken -= 1
        return
      }
      waiting.delete(next)
      next()
    },
  }
}
