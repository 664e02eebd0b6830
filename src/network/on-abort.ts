interface Watch {
  readonly callbacks: Set<() => void>
  readonly listener: () => void
}

const watches = new WeakMap<AbortSignal, Watch>()

/**
 * Calls back when the signal aborts, until what it returns is called. Any number of requests may share a signal: it gets
 * one listener for all of them, since Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined
  const watch = watches.get(signal) ?? begin(signal)
  watch.callbacks.add(callback)
  return () => {
    watch.callbacks.delete(callback)
    if (watch.callbacks.size > 0) return
    signal.removeEventListener('abort', watch.listener)
    watches.delete(signal)
  }
}

function begin(signal: AbortSignal): Watch {
  const callbacks = new Set<() => void>()
  const listener = () => {
    for (const callback of callbacks) callback()
  }
  const watch = { callbacks, listener }
  signal.addEventListener('abort', listener, { once: true })
  watches.set(signal, watch)
  return watch
}
