/** Finds the body of each HTTP/1.1 request in the bytes of one connection; all of it is ASCII here. */
export class RequestReader {
  readonly #done: (body: string) => void
  #text = ''

  constructor(done: (body: string) => void) {
    this.#done = done
  }

  push(bytes: Buffer): void {
    this.#text += bytes.toString('latin1')
    for (let body = this.#next(); body !== undefined; body = this.#next()) this.#done(body)
  }

  #next(): string | undefined {
    const head = this.#text.indexOf('\r\n\r\n')
    if (head === -1) return undefined
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#text.slice(0, head))?.[1] ?? '0'
    const end = head + 4 + Number(length)
    if (this.#text.length < end) return undefined
    const body = this.#text.slice(head + 4, end)
    this.#text = this.#text.slice(end)
    return body
  }
}
