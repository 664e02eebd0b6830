import { MalformedResponseError } from '../errors.js'

const newline = 0x0a
const carriageReturn = 0x0d

/** Cuts a stream of bytes into lines; holds at most one unfinished line, and scans every byte once. */
export class LineReader {
  readonly #maxBytes: number
  #unfinished = Buffer.alloc(0)
  #length = 0

  /** `maxBytes`: the longest line, without its end. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * Yields the lines a chunk completes, without `\n` or `\r\n`; empty ones are left out. A line is valid until the
   * next one is taken. Throws `MalformedResponseError` for a line that is too long, after those before it.
   */
  *read(chunk: Buffer): Generator<Buffer, void, undefined> {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(newline, start)
      const stop = end === -1 ? chunk.length : end
      if (this.#length + stop - start > this.#maxBytes) {
        throw new MalformedResponseError(`The server wrote a line of more than ${this.#maxBytes} bytes`)
      }
      if (end === -1) {
        this.#keep(chunk.subarray(start))
        return
      }
      const line = withoutReturn(this.#finished(chunk.subarray(start, end)))
      if (line.length > 0) yield line
      start = end + 1
    }
  }

  #finished(rest: Buffer): Buffer {
    if (this.#length === 0) return rest
    this.#keep(rest)
    const line = this.#unfinished.subarray(0, this.#length)
    this.#length = 0
    return line
  }

  #keep(part: Buffer): void {
    const needed = this.#length + part.length
    if (needed > this.#unfinished.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#unfinished.length))
      this.#unfinished.copy(larger, 0, 0, this.#length)
      this.#unfinished = larger
    }
    part.copy(this.#unfinished, this.#length)
    this.#length = needed
  }
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
}
