import { ToolError } from '../../errors.js'
import { isJsonObject } from '../../protocol/json.js'
import { encoded } from './route-path.js'

/** How the app's own querystring parser wants lists and objects; undefined for what it cannot read. */
export interface QuerySyntax {
  readonly list: ((key: string) => string) | undefined
  readonly member: ((key: string, name: string) => string) | undefined
}

const lists = [(key: string) => `${key}[]`, (key: string) => key]
const members = [
  (key: string, name: string) => `${key}[${name}]`,
  (key: string, name: string) => `${key}.${name}`,
]

/** Finds the syntax by trying the parser, which may be anything. */
export function querySyntax(parse: (query: string) => unknown): QuerySyntax {
  const reads = (query: string, expected: object) => {
    try {
      return JSON.stringify(parse(query)) === JSON.stringify(expected)
    } catch {
      return false
    }
  }
  return {
    list: lists.find((key) => reads(`${key('a')}=1&${key('a')}=2`, { a: ['1', '2'] })),
    member: members.find((key) => reads(`${key('a', 'b')}=1`, { a: { b: '1' } })),
  }
}

/**
 * Writes a query of these values, in order; `null` becomes an empty value, what is undefined is left out. Throws
 * `ToolError` for what the syntax has no place for.
 */
export function writeQuery(values: readonly (readonly [string, unknown])[], syntax: QuerySyntax): string {
  return values.flatMap(([name, value]) => pairs(encoded(name, name), value, { name, ...syntax })).join('&')
}

interface Place extends QuerySyntax {
  /** The argument that is written, for messages. */
  readonly name: string
}

function pairs(key: string, value: unknown, place: Place): readonly string[] {
  const { name, list, member } = place
  if (value === undefined) return []
  if (Array.isArray(value)) {
    if (list === undefined || value.some((item) => typeof item === 'object' && item !== null)) refuse(name)
    return value.map((item: unknown) => `${list(key)}=${scalar(name, item)}`)
  }
  if (isJsonObject(value)) {
    if (member === undefined) refuse(name)
    return Object.entries(value).flatMap(([inner, item]) =>
      pairs(member(key, encoded(name, inner)), item, place),
    )
  }
  return [`${key}=${scalar(name, value)}`]
}

function scalar(name: string, value: unknown): string {
  if (value === null) return ''
  return encoded(name, typeof value === 'string' ? value : JSON.stringify(value))
}

function refuse(name: string): never {
  throw new ToolError(`Invalid arguments: ${name}: is nested more deeply than a query of this app can hold`)
}
