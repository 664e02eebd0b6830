/** A JSON object as it was parsed: members are own properties, nothing is trusted. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Whether arrays and objects in a JSON text are nested deeper than `limit`; one pass, no recursion. */
export function nestedDeeperThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) i = endOfString(text, i)
    else if (code === openBrace || code === openBracket) {
      if (++depth > limit) return true
    } else if (code === closeBrace || code === closeBracket) depth--
  }
  return false
}

/** The index of the quote that closes the string opened at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
}
