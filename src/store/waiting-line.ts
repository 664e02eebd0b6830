import { onAbort } from '../network/on-abort.js'

/** One line of waiting callers per name, in this process: who is first goes on, the others wait in order. */
export interface WaitingLine {
  /** Resolves when it is this caller's turn, with what ends the turn. Rejects with the reason of the signal. */
  enter(name: string, signal: AbortSignal): Promise<() => void>
}

export function waitingLine(): WaitingLine {
  const lines = new Map<string, Set<() => void>>()

  function leave(name: string): void {
    const [next] = lines.get(name) ?? []
    if (next === undefined) lines.delete(name)
    else next()
  }

  return {
    enter(name, signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error)
      const line = lines.get(name)
      if (line === undefined) {
        lines.set(name, new Set())
        return Promise.resolve(() => leave(name))
      }
      return new Promise((resolve, reject) => {
        const forget = onAbort(signal, () => {
          line.delete(admit)
          reject(signal.reason as Error)
        })
        const admit = () => {
          forget()
          line.delete(admit)
          resolve(() => leave(name))
        }
        line.add(admit)
      })
    },
  }
}
