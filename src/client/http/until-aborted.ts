import { onAbort } from '../../network/on-abort.js'

/** Waits for `work`, but no longer than until the signal aborts; then rejects with its reason. */
export async function untilAborted(work: unknown, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    await work
    return
  }
  let forgetSignal = (): void => undefined
  const aborted = new Promise<void>((resolve) => {
    forgetSignal = onAbort(signal, resolve)
    if (signal.aborted) resolve()
  })
  try {
    await Promise.race([work, aborted])
  } finally {
    forgetSignal()
  }
  signal.throwIfAborted()
}
