import { WireError } from '../errors.js'
import { endOfString, type JsonObject } from './json.js'

/**
 * The JSON text of a request id, so that a reply repeats it digit for digit; undefined for a notification.
 * An integer beyond ±(2^53−1) is copied from the body. Throws `ERR_REQUEST` for anything but a string or an
 * integer (MCP 2026-07-28, basic, "Requests").
 */
export function requestId(body: JsonObject, text?: string): string | undefined {
  if (!Object.hasOwn(body, 'id')) return undefined
  const id = body['id']
  if (typeof id === 'string') return JSON.stringify(id)
  if (typeof id !== 'number' || !Number.isInteger(id)) {
    throw new WireError('ERR_REQUEST', 'A request id is a string or an integer')
  }
  if (Number.isSafeInteger(id) || text === undefined) return String(id)
  return memberText(text, 'id') ?? String(id)
}

const blank = /\s/
const scalarEnd = /[\s,}\]]/

/** The raw text of a scalar member of the root object, the last one when it is repeated, as `JSON.parse` reads it. */
function memberText(text: string, name: string): string | undefined {
  let found: string | undefined
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    else if (char === '"') {
      const end = endOfString(text, i)
      const colon = skipBlanks(text, end + 1)
      if (depth === 1 && text[colon] === ':' && JSON.parse(text.slice(i, end + 1)) === name) {
        found = scalarAt(text, skipBlanks(text, colon + 1))
      }
      i = end
    }
  }
  return found
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && blank.test(text.charAt(at))) at++
  return at
}

function scalarAt(text: string, from: number): string {
  let at = from
  while (at < text.length && !scalarEnd.test(text.charAt(at))) at++
  return text.slice(from, at)
}
