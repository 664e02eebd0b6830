import type { Writable } from 'node:stream'
import { onAbort } from '../../network/on-abort.js'

interface WaitingLine {
  readonly text: string
  readonly onWrite: (() => void) | undefined
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** Writes lines in order and no faster than they are taken. */
export class LineWriter {
  readonly #stream: Writable
  readonly #waiting = new Set<WaitingLine>()
  #ended: (() => Error) | undefined

  constructor(stream: Writable) {
    this.#stream = stream
    stream.on('drain', () => {
      for (const line of this.#waiting) {
        if (stream.writableNeedDrain) return
        this.#waiting.delete(line)
        this.#write(line.text, line.onWrite)
        line.resolve()
      }
    })
  }

  get idle(): boolean {
    return this.#waiting.size === 0
  }

  /**
   * Resolves when the line is written; `onWrite` runs at that very moment. Rejects, with nothing written, when the
   * signal aborts before that or the writer was ended.
   */
  async write(text: string, signal?: AbortSignal, onWrite?: () => void): Promise<void> {
    signal?.throwIfAborted()
    if (this.#ended !== undefined) throw this.#ended()
    if (this.idle && !this.#stream.writableNeedDrain) this.#write(text, onWrite)
    else await this.#turn(text, signal, onWrite)
  }

  /** From now on nothing is written; lines that wait are rejected with what `reason` makes. */
  end(reason: () => Error): void {
    this.#ended = reason
    for (const line of this.#waiting) line.reject(reason())
    this.#waiting.clear()
  }

  async #turn(
    text: string,
    signal: AbortSignal | undefined,
    onWrite: (() => void) | undefined,
  ): Promise<void> {
    let unwatch: (() => void) | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        const line = { text, onWrite, resolve, reject }
        this.#waiting.add(line)
        unwatch = onAbort(signal, () => {
          this.#waiting.delete(line)
          reject(signal?.reason as Error)
        })
      })
    } finally {
      unwatch?.()
    }
  }

  #write(text: string, onWrite: (() => void) | undefined): void {
    onWrite?.()
    this.#stream.write(`${text}\n`)
  }
}
