import { Readable } from 'node:stream'
import { eventFrame } from '../protocol/event-stream.js'

/** Bytes that may wait for a slow reader before further notifications are dropped. */
const mostWaiting = 1024 * 1024

/** Milliseconds between comments that keep idle connections open. */
const keepAliveMs = 15_000

/** The body of an event stream: notifications first, then the answer, which ends it. */
export class EventStreamBody extends Readable {
  readonly #keepAlive = setInterval(() => this.#comment(), keepAliveMs).unref()
  #resume: (() => void)[] = []

  override _read(): void {
    for (const resume of this.#resume.splice(0)) resume()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#keepAlive)
    this._read()
    callback(error)
  }

  /** Sends a notification; resolves when the reader takes more. One too many for a slow reader is dropped. */
  async notify(message: string): Promise<void> {
    if (this.destroyed || this.readableLength > mostWaiting) return
    if (this.push(eventFrame(message))) return
    await new Promise<void>((resolve) => this.#resume.push(resolve))
  }

  /** Sends the answer and ends the stream. */
  finish(answer: string): void {
    clearInterval(this.#keepAlive)
    if (this.destroyed) return
    this.push(eventFrame(answer))
    this.push(null)
  }

  #comment(): void {
    if (this.readableLength === 0) this.push(':\n\n')
  }
}
