const jsonType = /^[ \t]*application\/json[ \t]*(?:;.*)?$/i

/** Whether a `Content-Type` is `application/json`, with any parameters (RFC 9110, section 8.3). */
export function isJsonContent(contentType: string | undefined): boolean {
  return contentType !== undefined && jsonType.test(contentType)
}

/** The kinds of answer a client takes. */
export interface Acceptance {
  readonly json: boolean
  readonly stream: boolean
}

const everything: Acceptance = { json: true, stream: true }

/**
 * Reads an `Accept` header: the most specific range decides and `q=0` refuses. A missing header accepts everything
 * (RFC 9110, section 12.5.1).
 */
export function readAccept(header: string | undefined): Acceptance {
  if (header === undefined || header.trim() === '') return everything
  const ranges = header.split(',').map(readRange)
  return { json: accepts(ranges, 'application', 'json'), stream: accepts(ranges, 'text', 'event-stream') }
}

interface MediaRange {
  readonly type: string
  readonly subtype: string
  readonly refused: boolean
}

function readRange(text: string): MediaRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const [type = '', subtype = ''] = range.split('/')
  return { type, subtype, refused: parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter)) }
}

function accepts(ranges: readonly MediaRange[], type: string, subtype: string): boolean {
  const find = (t: string, s: string) => ranges.find((range) => range.type === t && range.subtype === s)
  const decisive = find(type, subtype) ?? find(type, '*') ?? find('*', '*')
  return decisive !== undefined && !decisive.refused
}
