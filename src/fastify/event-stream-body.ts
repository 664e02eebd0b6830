import { Readable } from 'node:stream'
import { eventFrame } from '../protocol/event-stream.js'

/** Bytes that may wait for a slow reader before further notifications are dropped. */
const mostWaiting = 1024 * 1024

/** The body of an event stream: notifications first, then the answer, which ends it. */
export class EventStreamBody extends Readable {
  #resume: (() => void)[] = []

  override _read(): void {
    for (const resume of this.#resume.splice(0)) resume()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
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
    if (this.destroyed) return
    this.push(eventFrame(answer))
    this.push(null)
  }
}
