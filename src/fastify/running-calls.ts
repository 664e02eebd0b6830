/** Milliseconds a call may go on after the app began to close before its signal aborts. */
const graceMs = 10_000

/** The calls whose handlers look at their signal, so that closing the app reaches them. */
export class RunningCalls {
  readonly #controllers = new Set<AbortController>()
  #timer: NodeJS.Timeout | undefined
  /** Whether the app has begun to close, so that connections end with their answer. */
  closing = false

  add(controller: AbortController): void {
    this.#controllers.add(controller)
  }

  delete(controller: AbortController | undefined): void {
    if (controller !== undefined) this.#controllers.delete(controller)
  }

  /** Lets calls finish for a while, then aborts the rest. */
  startClosing(): void {
    this.closing = true
    this.#timer = setTimeout(() => {
      const reason = new DOMException('The server is closing', 'AbortError')
      for (const controller of this.#controllers) controller.abort(reason)
    }, graceMs)
    this.#timer.unref()
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
