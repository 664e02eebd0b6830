import { onAbort } from './on-abort.js'

/** A signal for one piece of work. */
export interface JoinedSignal {
  readonly signal: AbortSignal
  /** To be called when the work has ended: nothing of it stays with the signals that live on. */
  readonly release: () => void
}

/**
 * Aborts as soon as one of these signals does, or after a time, until it is released. `AbortSignal.any` would leave something with
 * each signal for every request there has been.
 */
export function joinSignals(
  signals: readonly (AbortSignal | undefined)[],
  milliseconds?: number,
): JoinedSignal {
  const own = new AbortController()
  const forgets = signals.map((signal) => onAbort(signal, () => own.abort(signal?.reason)))
  const late = () => own.abort(new DOMException('The time for it is over', 'TimeoutError'))
  const timer = milliseconds === undefined ? undefined : setTimeout(late, milliseconds).unref()
  const before = signals.find((signal) => signal?.aborted)
  if (before !== undefined) own.abort(before.reason)
  return {
    signal: own.signal,
    release: () => {
      clearTimeout(timer)
      for (const forget of forgets) forget()
    },
  }
}
