import { onAbort } from '../../network/on-abort.js'

const longest = 2 ** 31 - 1

/** Waits some milliseconds; an aborted signal rejects with its reason and leaves no timer behind. */
export function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error)
      return
    }
    const aborted = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(
      () => {
        forgetSignal()
        resolve()
      },
      Math.min(milliseconds, longest),
    )
    const forgetSignal = onAbort(signal, aborted)
  })
}
