/** One server-sent event with data (WHATWG HTML, section 9.2.6). */
export interface ServerEvent {
  /** `message` unless the server named it. */
  readonly name: string
  readonly data: string
}

/** An event or a line of a stream is larger than allowed. */
export class EventSizeError extends Error {
  override readonly name = 'EventSizeError'
}

const lineEnd = /[\r\n]/g
const carriageReturn = 0x0d
const lineFeed = 0x0a
/** `data: ` ahead of a value. */
const longestField = 6

/**
 * Reads an event stream piece by piece, in time linear in its length whatever the pieces. `id` and `retry` mean nothing
 * here; an event the stream ends in is never given out.
 */
export class EventReader {
  readonly #limit: number
  #started = false
  #afterReturn = false
  #fragments: string[] = []
  #lineLength = 0
  #name = ''
  #data: string[] = []
  #dataLength = 0

  /** `limit`: characters of the data of one event, and of any other line. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Gives the events completed by one more piece, one by one. Throws `EventSizeError` when the next grows too large. */
  *read(piece: string): Generator<ServerEvent, void> {
    let at = this.#skip(piece)
    while (at < piece.length) {
      lineEnd.lastIndex = at
      if (!lineEnd.test(piece)) {
        this.#keep(piece.slice(at))
        return
      }
      const next = lineEnd.lastIndex
      const event = this.#line(this.#complete(piece.slice(at, next - 1)))
      at = next
      if (piece.charCodeAt(next - 1) === carriageReturn) {
        if (next === piece.length) this.#afterReturn = true
        else if (piece.charCodeAt(next) === lineFeed) at++
      }
      if (event !== undefined) yield event
    }
  }

  /** Where reading starts: after one byte order mark, and after the LF of a CRLF that came in two pieces. */
  #skip(piece: string): number {
    if (piece === '') return 0
    if (!this.#started) {
      this.#started = true
      return piece.charCodeAt(0) === 0xfeff ? 1 : 0
    }
    const split = this.#afterReturn && piece.charCodeAt(0) === lineFeed
    this.#afterReturn = false
    return split ? 1 : 0
  }

  #keep(fragment: string): void {
    this.#fragments.push(fragment)
    this.#lineLength += fragment.length
    this.#check(this.#lineLength - longestField)
  }

  #complete(end: string): string {
    this.#check(this.#lineLength + end.length - longestField)
    if (this.#fragments.length === 0) return end
    const line = this.#fragments.join('') + end
    this.#fragments = []
    this.#lineLength = 0
    return line
  }

  #line(line: string): ServerEvent | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    if (field === 'data') this.#add(fieldValue(line, colon))
    else if (field === 'event') this.#name = fieldValue(line, colon)
    return undefined
  }

  #add(value: string): void {
    this.#data.push(value)
    this.#dataLength += value.length + 1
    this.#check(this.#dataLength - 1)
  }

  #dispatch(): ServerEvent | undefined {
    const name = this.#name === '' ? 'message' : this.#name
    const data = this.#data.length === 1 ? (this.#data[0] ?? '') : this.#data.join('\n')
    this.#name = ''
    if (this.#data.length > 0) this.#data = []
    this.#dataLength = 0
    return data === '' ? undefined : { name, data }
  }

  #check(length: number): void {
    if (length > this.#limit) throw new EventSizeError(`An event is larger than ${this.#limit} characters`)
  }
}

function fieldValue(line: string, colon: number): string {
  if (colon === -1) return ''
  return line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1)
}
