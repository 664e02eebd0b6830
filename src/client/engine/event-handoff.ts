type Taken<T> = { readonly done: false; readonly value: T } | { readonly done: true }

/** Hands values from one side to the other, one at a time: giving waits until the value was taken. */
export class EventHandoff<T> {
  #waiting: ((taken: Taken<T>) => void) | undefined
  #fail: ((reason: unknown) => void) | undefined
  #offered: { readonly value: T; readonly accepted: () => void } | undefined
  #end: { readonly error?: unknown } | undefined

  /** Resolves when the other side has taken the value or nobody will. */
  give(value: T): Promise<void> {
    if (this.#end !== undefined) return Promise.resolve()
    if (this.#waiting !== undefined) {
      this.#settle({ done: false, value })
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      this.#offered = { value, accepted: resolve }
    })
  }

  /** Nothing more comes; with a reason, taking fails with it. */
  end(reason?: { readonly error: unknown }): void {
    this.#end ??= reason ?? {}
    if (this.#waiting === undefined) return
    if (reason === undefined) this.#settle({ done: true })
    else this.#fail?.(reason.error)
  }

  /** Nobody takes any more. */
  close(): void {
    this.#end ??= {}
    this.#offered?.accepted()
    this.#offered = undefined
  }

  async take(): Promise<Taken<T>> {
    const offered = this.#offered
    if (offered !== undefined) {
      this.#offered = undefined
      offered.accepted()
      return { done: false, value: offered.value }
    }
    const end = this.#end
    if (end !== undefined) {
      if ('error' in end) throw end.error
      return { done: true }
    }
    return new Promise((resolve, reject) => {
      this.#waiting = resolve
      this.#fail = reject
    })
  }

  #settle(taken: Taken<T>): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.(taken)
  }
}
