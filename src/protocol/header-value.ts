import { CastellanError } from '../errors.js'

const prefix = '=?base64?'
const suffix = '?='
const plain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/
const fieldText = /^[\t\x20-\x7e]*$/
const unpairedSurrogate = /\p{Surrogate}/u
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Writes any text so that it survives as an `Mcp-Name` or `Mcp-Param-*` header value.
 *
 * `dock 4` stays as it is; `Zürich` becomes `=?base64?WsO8cmljaA==?=`, as does text with control characters, with
 * space at either end, or that looks encoded itself. Throws `ERR_HEADER` for an unpaired surrogate, which has no
 * UTF-8 form. MCP 2026-07-28, Streamable HTTP, "Value Encoding" (HDR-40 to HDR-42).
 */
export function encodeHeaderValue(value: string): string {
  if (plain.test(value) && !(value.startsWith(prefix) && value.endsWith(suffix))) return value
  if (unpairedSurrogate.test(value)) {
    throw new CastellanError('ERR_HEADER', 'Text with an unpaired surrogate cannot be sent in a header')
  }
  return prefix + base64(value) + suffix
}

/**
 * Reads a header value back, or gives `undefined` for one that no client may send.
 *
 * Optional whitespace around the value goes first. `undefined` is for characters outside printable ASCII and tab,
 * Base64 that is not canonical, and bytes that are not UTF-8; a value without both exact markers is literal.
 * MCP 2026-07-28, Streamable HTTP, "Value Encoding" (HDR-8, HDR-43, HDR-44).
 */
export function decodeHeaderValue(raw: string): string | undefined {
  const value = stripOptionalWhitespace(raw)
  if (!fieldText.test(value)) return undefined
  const encoded =
    value.length >= prefix.length + suffix.length && value.startsWith(prefix) && value.endsWith(suffix)
  return encoded ? text(value.slice(prefix.length, -suffix.length)) : value
}

function base64(value: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(value)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

function text(encoded: string): string | undefined {
  try {
    const binary = atob(encoded)
    if (btoa(binary) !== encoded) return undefined
    return utf8.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)))
  } catch {
    return undefined
  }
}

/** Removes the space and tab around a header value (RFC 9110 §5.5). */
export function stripOptionalWhitespace(value: string): string {
  let start = 0
  let end = value.length
  while (start < end && isWhitespace(value.charCodeAt(start))) start++
  while (end > start && isWhitespace(value.charCodeAt(end - 1))) end--
  return value.slice(start, end)
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09
}
