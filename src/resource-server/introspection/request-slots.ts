/** So many requests at once, so many waiting for their turn. */
export interface RequestSlots {
  /** Takes a slot, in order; false when too many wait already or the time is over first. Each slot taken is given back. */
  take(milliseconds: number): boolean | Promise<boolean>
  giveBack(): void
}

/** Makes slots, all of them free. */
export function requestSlots(most: number, mostWaiting: number): RequestSlots {
  const waiting = new Set<() => void>()
  let taken = 0
  return {
    take(milliseconds) {
      if (taken < most) {
        taken += 1
        return true
      }
      if (waiting.size >= mostWaiting) return false
      return new Promise((resolve) => {
        const turn = () => {
          clearTimeout(timer)
          resolve(true)
        }
        const timer = setTimeout(() => {
          waiting.delete(turn)
          resolve(false)
        }, milliseconds)
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
