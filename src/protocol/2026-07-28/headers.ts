import { WireError } from '../../errors.js'
import { decodeHeaderValue, stripOptionalWhitespace } from '../header-value.js'
import type { JsonObject } from '../json.js'
import { checkMirrored, type MirroredParameter } from '../mirrored-parameters.js'
import type { HeaderReader } from '../revision.js'

/** `MCP-Protocol-Version` must be there and equal the body's version. Throws `ERR_HEADER`. */
export function checkVersion(version: string, headers: HeaderReader): void {
  compare('MCP-Protocol-Version', read(headers, 'mcp-protocol-version'), version)
}

/** `Mcp-Method` must be there and equal the body's method; values are case-sensitive. Throws `ERR_HEADER`. */
export function checkMethod(method: string, headers: HeaderReader): void {
  compare('Mcp-Method', read(headers, 'mcp-method'), method)
}

/** `Mcp-Name` must be there and equal the target's name after decoding. Throws `ERR_HEADER`. */
export function checkName(name: unknown, headers: HeaderReader | undefined): void {
  if (headers === undefined || typeof name !== 'string') return
  const raw = headers('mcp-name')
  if (raw === undefined) throw new WireError('ERR_HEADER', 'The Mcp-Name header is missing')
  const value = decodeHeaderValue(raw)
  if (value === undefined) throw new WireError('ERR_HEADER', 'The Mcp-Name header cannot be decoded')
  compare('Mcp-Name', value, name)
}

/** Every `Mcp-Param-*` header must agree with the argument it repeats. Throws `ERR_HEADER`. */
export function checkParameters(
  list: readonly MirroredParameter[],
  args: JsonObject,
  headers: HeaderReader | undefined,
): void {
  if (headers === undefined || list.length === 0) return
  const problem = checkMirrored(list, args, headers)
  if (problem !== undefined) throw new WireError('ERR_HEADER', problem)
}

function read(headers: HeaderReader, name: string): string | undefined {
  const raw = headers(name)
  return raw === undefined ? undefined : stripOptionalWhitespace(raw)
}

function compare(header: string, value: string | undefined, expected: string): void {
  if (value === expected) return
  throw new WireError(
    'ERR_HEADER',
    `The ${header} header ${value === undefined ? 'is missing' : 'differs from the body'}`,
  )
}
