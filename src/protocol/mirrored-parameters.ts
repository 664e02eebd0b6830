import { CastellanError } from '../errors.js'
import { decodeHeaderValue, encodeHeaderValue } from './header-value.js'
import { subschemas, type Subschema } from './subschemas.js'

const annotation = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const maximumDepth = 64
const maximumSchemas = 10_000

/** One tool parameter that a client repeats in a request header. */
export interface MirroredParameter {
  /** The header in lower case, `mcp-param-region`. */
  readonly header: string
  /** The name as annotated, `Region`. */
  readonly name: string
  /** Where the value stands in `arguments`. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

const none: readonly MirroredParameter[] = Object.freeze([])

/**
 * Finds the `x-mcp-header` annotations of a tool's input schema: a frozen list, or the text of what makes the tool
 * definition invalid.
 *
 * An annotation counts only on a property reached through `properties` alone; one on any other schema invalidates
 * the tool, and one inside `default`, `enum`, `const` or `examples` is data.
 * MCP 2026-07-28, Streamable HTTP, "Schema Extension" (HDR-20 to HDR-23).
 */
export function mirroredParameters(inputSchema: object): readonly MirroredParameter[] | string {
  const found: MirroredParameter[] = []
  const headers = new Set<string>()
  const places: Subschema[] = [{ path: [], schema: inputSchema }]
  for (const place of places) {
    if (typeof place.schema !== 'object' || place.schema === null) continue
    if (places.length > maximumSchemas || place.path.length > 2 * maximumDepth)
      return 'the schema is too large'
    if (Object.hasOwn(place.schema, annotation)) {
      const parameter = annotated(place.schema, place.path)
      if (typeof parameter === 'string') return parameter
      if (headers.has(parameter.header)) {
        return `${annotation} "${parameter.name}" is used twice (names differ by more than case)`
      }
      headers.add(parameter.header)
      found.push(parameter)
    }
    for (const inner of subschemas(place.schema, place.path)) places.push(inner)
  }
  return found.length === 0 ? none : Object.freeze(found)
}

/**
 * Compares the mirrored headers of a call with its arguments: `undefined` when they agree, else the message of the
 * -32020 error. `header` looks a value up by lower-case name.
 *
 * A non-null argument needs an equal header, and a header without an argument is a disagreement too. Integers
 * compare as numbers (`42.0` and `4.2e1` are 42); one beyond ±(2^53−1) never agrees.
 * MCP 2026-07-28, Streamable HTTP, "Server Behavior" (HDR-29 to HDR-31, HDR-43, HDR-44).
 */
export function checkMirrored(
  list: readonly MirroredParameter[],
  args: unknown,
  header: (lowerCaseName: string) => string | undefined,
): string | undefined {
  for (const parameter of list) {
    const value = argument(args, parameter.path)
    const raw = header(parameter.header)
    if (value === undefined || value === null) {
      if (raw !== undefined) return problem(parameter, 'is sent, but the body has no')
    } else if (raw === undefined) {
      return problem(parameter, 'is missing, but the body has')
    } else if (!agrees(value, decodeHeaderValue(raw))) {
      return problem(parameter, 'does not match')
    }
  }
  return undefined
}

/**
 * The headers a client sends with a call, by lower-case name; absent and `null` arguments have none.
 *
 * Throws `ERR_HEADER` for an argument no header can carry: an object or array, a number beyond ±(2^53−1), or text
 * with an unpaired surrogate. MCP 2026-07-28, Streamable HTTP, "Client Behavior" (HDR-27, HDR-40 to HDR-42).
 */
export function mirroredHeaders(list: readonly MirroredParameter[], args: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const parameter of list) {
    const value = argument(args, parameter.path)
    if (value === undefined || value === null) continue
    const text = headerText(value)
    if (text === undefined) throw new CastellanError('ERR_HEADER', problem(parameter, 'cannot carry'))
    headers[parameter.header] = encodeHeaderValue(text)
  }
  return headers
}

function annotated(schema: object, path: readonly string[]): MirroredParameter | string {
  const { [annotation]: name, type } = schema as Record<string, unknown>
  const where = path.length === 0 ? 'the root' : path.join('.')
  const names = path.filter((_, index) => index % 2 === 1)
  const isProperty = names.length > 0 && path.every((key, index) => index % 2 === 1 || key === 'properties')
  if (!isProperty) return `${annotation} at ${where} is not on a property reached through "properties" alone`
  if (typeof name !== 'string' || !token.test(name)) {
    return `${annotation} at ${where} is not a header name (letters, digits and !#$%&'*+-.^_\`|~)`
  }
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    return `${annotation} at ${where} needs "type": "string", "integer" or "boolean" there`
  }
  return Object.freeze({
    header: `mcp-param-${name.toLowerCase()}`,
    name,
    path: Object.freeze(names),
    type,
  })
}

function argument(args: unknown, path: readonly string[]): unknown {
  let value = args
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    if (!Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

function agrees(value: unknown, decoded: string | undefined): boolean {
  const expected = headerText(value)
  if (expected === undefined || decoded === undefined) return false
  return expected === decoded || (Number.isInteger(value) && expected === integerText(decoded))
}

function headerText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value)
  return undefined
}

const decimal = /^(-?)(0|[1-9]\d{0,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,3}))?$/

/** The integer a decimal number stands for, in its plain digits; exact where parsing to a float would round. */
function integerText(number: string): string | undefined {
  const match = decimal.exec(number)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/0+$/, '')
  const length = whole.length + Number(exponent)
  const leading = digits.search(/[1-9]/)
  if (leading === -1) return '0'
  if (length < digits.length || length - leading > 16) return undefined
  return sign + digits.slice(leading) + '0'.repeat(length - digits.length)
}

function problem(parameter: MirroredParameter, verb: string): string {
  return `Mcp-Param-${parameter.name} ${verb} arguments.${parameter.path.join('.')}`
}
