import { CastellanError } from '../../errors.js'
import { joinSignals } from '../../network/joined-signal.js'

/** The work for all users of an application, those who are no longer in memory included. */
export interface UnderWay {
  /** Work that is only waited for. */
  finish<T>(work: Promise<T>): Promise<T>
  /** Work whose signal aborts with the caller's, and with closing as well. */
  stoppable<T>(signal: AbortSignal, begin: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Stops what can be stopped. */
  stop(): void
  /** When all of it has ended. */
  ended(): Promise<unknown>
}

export function workUnderWay(): UnderWay {
  const closing = new AbortController()
  const all = new Set<Promise<unknown>>()
  function finish<T>(work: Promise<T>): Promise<T> {
    const end = () => all.delete(work)
    all.add(work)
    work.then(end, end)
    return work
  }
  return {
    finish,
    stoppable(wanted, begin) {
      const { signal, release } = joinSignals([wanted, closing.signal])
      return finish(begin(signal).finally(release))
    },
    stop: () => closing.abort(new CastellanError('ERR_CLIENT', 'The transport is closed')),
    ended: () => Promise.allSettled(all),
  }
}
