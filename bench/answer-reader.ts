/** Finds the end of each HTTP/1.1 answer in the bytes of one connection, doing as little else as it can. */
export class AnswerReader {
  readonly #done: (status: number) => void
  #head = ''
  #status = 0
  /** Bytes of the body still to come; undefined while the head is being read. */
  #missing: number | undefined
  #isChunked = false
  #tail = ''

  constructor(done: (status: number) => void) {
    this.#done = done
  }

  push(bytes: Buffer): void {
    if (this.#isChunked) this.#readChunked(bytes)
    else if (this.#missing === undefined) this.#readHead(bytes)
    else this.#readBody(bytes.length)
  }

  #readHead(bytes: Buffer): void {
    this.#head += bytes.toString('latin1')
    const end = this.#head.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#head.slice(0, end)
    const body = this.#head.slice(end + 4)
    this.#head = ''
    this.#status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (length !== undefined) {
      this.#missing = Number(length)
      this.#readBody(body.length)
    } else {
      this.#isChunked = true
      this.#readChunked(Buffer.from(body, 'latin1'))
    }
  }

  #readBody(count: number): void {
    this.#missing = (this.#missing ?? 0) - count
    if (this.#missing > 0) return
    this.#missing = undefined
    this.#done(this.#status)
  }

  /** No payload here ends in an empty chunk's own bytes, so the last five bytes tell the end. */
  #readChunked(bytes: Buffer): void {
    this.#tail = (this.#tail + bytes.toString('latin1')).slice(-5)
    if (this.#tail !== '0\r\n\r\n') return
    this.#isChunked = false
    this.#tail = ''
    this.#done(this.#status)
  }
}
