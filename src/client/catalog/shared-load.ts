import { onAbort } from '../../network/on-abort.js'

/** One piece of work several callers wait for; it is stopped when the last of them no longer does. */
export class SharedLoad<T> {
  readonly #stop = new AbortController()
  /** Settles with the work, whoever waits for it. */
  readonly done: Promise<T>
  #waiting = 0

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.done = work(this.#stop.signal)
  }

  /** Waits until the work is done or the signal aborts, which rejects with its reason. */
  async wait(signal: AbortSignal | undefined): Promise<T> {
    if (signal === undefined) {
      this.#waiting = Infinity
      return this.done
    }
    signal.throwIfAborted()
    this.#waiting++
    let forgetSignal: (() => void) | undefined
    const aborted = new Promise<never>((_resolve, reject) => {
      forgetSignal = onAbort(signal, () => reject(signal.reason as Error))
    })
    try {
      return await Promise.race([this.done, aborted])
    } finally {
      forgetSignal?.()
      if (--this.#waiting === 0) this.#stop.abort()
    }
  }

  /** Whether nobody waits any more, so that the work was stopped. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted
  }
}
