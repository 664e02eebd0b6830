import { Readable } from 'node:stream'
import { eventFrame } from '../protocol/event-stream.js'
import type { LongAnswer, OpenAnswer, Outlet } from '../server/subscriptions/outlet.js'

/** The body of a long answer: it waits for slow readers and tells when they are gone. */
export class LongAnswerBody extends Readable implements Outlet {
  readonly #answer: LongAnswer | undefined

  constructor(open: OpenAnswer) {
    super()
    this.#answer = open(this)
  }

  override _read(): void {
    this.#answer?.drained()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#answer?.closed()
    callback(error)
  }

  send(message: string): boolean {
    return this.destroyed || this.push(eventFrame(message))
  }

  beat(): void {
    if (!this.destroyed) this.push(':\n\n')
  }

  end(response: string): void {
    if (this.destroyed) return
    this.push(eventFrame(response))
    this.push(null)
  }

  cut(): void {
    this.destroy()
  }
}
