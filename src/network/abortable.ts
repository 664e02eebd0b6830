import { onAbort } from './on-abort.js'

/** Waits for work that others may wait for as well, but no longer than until the signal aborts; the work goes on. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const stop = () => {
      reject(signal.reason as Error)
    }
    if (signal.aborted) stop()
    const forget = onAbort(signal, stop)
    void work.then(resolve, reject).finally(forget)
  })
}
