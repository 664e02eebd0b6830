/** Waits for `work`, but no longer than until the signal aborts; then rejects with its reason. */
export async function untilAborted(work: unknown, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    await work
    return
  }
  let stop = (): void => undefined
  const aborted = new Promise<void>((resolve) => {
    stop = resolve
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) resolve()
  })
  try {
    await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
  signal.throwIfAborted()
}
