/** One challenge of a `WWW-Authenticate` header (RFC 9110 §11.3). */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string
  readonly token68?: string
  /** By lower-case name, unescaped. */
  readonly parameters: ReadonlyMap<string, string>
}

const mostCharacters = 8_192
const mostChallenges = 16
const mostParameters = 32

const separators = /[ \t,]*/y
const spaces = /[ \t]*/y
const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y
const token68 = /[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))/y
const quoted = /"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"/y

/**
 * Reads the challenges of all `WWW-Authenticate` lines, given one by one or joined with commas, in their order.
 *
 * A challenge with a parameter given twice is left out. A header that breaks the grammar, is longer than 8 KiB or holds
 * more than 16 challenges counts as none: who cannot be understood has said nothing. Takes time linear in the length.
 */
export function readChallenges(lines: string | readonly string[]): readonly Challenge[] {
  const header = typeof lines === 'string' ? lines : lines.join(', ')
  if (header.length > mostCharacters) return []
  const drafts = parse(header)
  if (drafts === undefined || drafts.length > mostChallenges) return []
  return drafts.filter(isValid)
}

interface Draft {
  readonly scheme: string
  token68?: string
  readonly parameters: Map<string, string>
  isAmbiguous: boolean
}

function isValid({ token68, parameters, isAmbiguous }: Draft): boolean {
  if (token68 !== undefined && parameters.size > 0) return false
  return !isAmbiguous && parameters.size <= mostParameters
}

/** Undefined when the header breaks the grammar. */
function parse(header: string): Draft[] | undefined {
  const text = new Cursor(header)
  const drafts: Draft[] = []
  for (text.take(separators); !text.isAtEnd; text.take(separators)) {
    const name = text.take(token)
    if (name === '') return undefined
    const gap = text.take(spaces)
    if (text.isAt('=')) {
      if (!readParameter(text, name, drafts.at(-1))) return undefined
    } else {
      const draft: Draft = { scheme: name.toLowerCase(), parameters: new Map(), isAmbiguous: false }
      drafts.push(draft)
      if (gap !== '' && !text.isAtItemEnd && !readFirst(text, draft)) return undefined
    }
    text.take(spaces)
    if (!text.isAtItemEnd) return undefined
  }
  return drafts
}

/** What follows a scheme within the same list member. */
function readFirst(text: Cursor, draft: Draft): boolean {
  const credentials = text.take(token68)
  if (credentials !== '') {
    draft.token68 = credentials
    return true
  }
  const name = text.take(token)
  text.take(spaces)
  return name !== '' && readParameter(text, name, draft)
}

/** From the `=` on. */
function readParameter(text: Cursor, name: string, draft: Draft | undefined): boolean {
  if (draft === undefined || !text.isAt('=')) return false
  text.skip()
  text.take(spaces)
  const value = text.isAt('"') ? unquoted(text.take(quoted)) : text.take(token)
  if (value === undefined || (value === '' && !text.isAfterQuote)) return false
  const key = name.toLowerCase()
  if (draft.parameters.has(key)) draft.isAmbiguous = true
  draft.parameters.set(key, value)
  return true
}

function unquoted(literal: string): string | undefined {
  return literal === '' ? undefined : literal.slice(1, -1).replaceAll(/\\(.)/g, '$1')
}

/** A place in the text that only moves forward. */
class Cursor {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  get isAtItemEnd(): boolean {
    return this.isAtEnd || this.isAt(',')
  }

  get isAfterQuote(): boolean {
    return this.#text[this.#at - 1] === '"'
  }

  isAt(character: string): boolean {
    return this.#text[this.#at] === character
  }

  skip(): void {
    this.#at += 1
  }

  /** What the sticky pattern matches here, or `''`. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const taken = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += taken.length
    return taken
  }
}
