import { DefinitionError } from '../../errors.js'
import { layOutBody } from './body.js'
import { queryReader, type QueryReader } from './query.js'
import { bodyReader, type BodyReader, type Found } from './reader.js'
import { parseUriTemplate, type TemplateExpression, type TemplatePart } from './syntax.js'
import { readText } from './values.js'

const maximumLength = 8192
const notInUri = /[\u0000-\u0020\u007f]/

type Optional = '?' | '&' | '#'
type Required = '+' | '.' | '/' | ';'
type Variable<S extends string, O extends boolean> = S extends `${infer Name}*`
  ? O extends true
    ? { readonly [K in Name]?: readonly string[] }
    : { readonly [K in Name]: readonly string[] }
  : S extends `${infer Name}:${string}`
    ? Variable<Name, O>
    : O extends true
      ? { readonly [K in S]?: string }
      : { readonly [K in S]: string }
type Variables<S extends string, O extends boolean> = S extends `${infer First},${infer Rest}`
  ? Variable<First, O> & Variables<Rest, O>
  : Variable<S, O>
type Expression<S extends string> = S extends `${Optional}${infer List}`
  ? Variables<List, true>
  : S extends `${Required}${infer List}`
    ? Variables<List, false>
    : Variables<S, false>
type Walk<T extends string> = T extends `${string}{${infer E}}${infer Rest}`
  ? Expression<E> & Walk<Rest>
  : unknown

/**
 * What the variables of a URI template are, by name.
 *
 * `VariablesOf<'things://{id}{?page,limit}'>` is `{ id: string; page?: string; limit?: string }`; `{/path*}` gives
 * `path: readonly string[]`. A template known only as `string` gives a record of both.
 */
export type VariablesOf<T extends string> = string extends T
  ? Readonly<Record<string, string | readonly string[]>>
  : { readonly [K in keyof Walk<T>]: Walk<T>[K] }

/** A URI template that can be read backwards: from a URI to the variables it was made of. */
export interface UriTemplate<T extends string = string> {
  readonly template: T
  /** The names of the variables, in the order they are written. */
  readonly variables: readonly string[]
  /** The decoded variables, or `undefined` when the URI is not one of this template. */
  readonly match: (uri: string) => VariablesOf<T> | undefined
}

/**
 * Makes a URI template that a server matches URIs against.
 *
 * `{id}` is one path segment and never gives `/`, `\`, NUL, `.` or `..`, however they are encoded; it ends at the
 * first place where the text after it stands. `{+path}` may hold `/` but no dot segment, `{/path*}` is a list of
 * segments, `{?page,limit}` is optional in any order, `{?tag*}` is a list. A URI beyond 8192 characters never
 * matches, and the work is linear in its length. Throws `ERR_DEFINITION` for a template with two readings, or one
 * with `{;x}` or `{x:3}`. RFC 6570.
 */
export function uriTemplate<const T extends string>(template: T): UriTemplate<T> {
  const refuse = (reason: string) =>
    new DefinitionError(`URI template ${template} cannot be matched: ${reason}`)
  const parts = parseUriTemplate(template)
  const names = variableNames(parts, refuse)
  const { body, query, fragment } = compileParts(parts, refuse)
  const start = typeof parts[0] === 'string' ? parts[0] : ''
  return Object.freeze({
    template,
    variables: Object.freeze(names),
    match: (uri: string) => {
      if (uri.length > maximumLength || !uri.startsWith(start) || notInUri.test(uri)) return undefined
      const found: Found = []
      let rest = uri
      const hash = fragment === undefined ? -1 : rest.indexOf('#')
      if (fragment !== undefined && hash !== -1) {
        const value = readText(rest.slice(hash + 1))
        if (value === undefined) return undefined
        found.push([fragment, value])
        rest = rest.slice(0, hash)
      }
      if (query !== undefined) {
        const mark = rest.indexOf('?')
        if (!query(mark === -1 ? undefined : rest.slice(mark + 1), found)) return undefined
        if (mark !== -1) rest = rest.slice(0, mark)
      }
      return body(rest, found) ? (Object.fromEntries(found) as VariablesOf<T>) : undefined
    },
  })
}

function variableNames(
  parts: readonly TemplatePart[],
  refuse: (reason: string) => DefinitionError,
): string[] {
  const variables = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables))
  for (const [index, { name, prefix }] of variables.entries()) {
    if (prefix !== undefined) throw refuse(`{${name}:${prefix}} gives only the beginning of a value`)
    if (variables.findIndex((other) => other.name === name) < index)
      throw refuse(`{${name}} stands there twice`)
  }
  return variables.map(({ name }) => name)
}

interface Compiled {
  readonly body: BodyReader
  readonly query: QueryReader | undefined
  readonly fragment: string | undefined
}

function compileParts(parts: readonly TemplatePart[], refuse: (reason: string) => DefinitionError): Compiled {
  const rest = [...parts]
  const fragments = takeTrailing(rest, ['#']).flatMap(({ variables }) => variables)
  const [fragment] = fragments
  if (fragments.length > 1 || fragment?.explode === true)
    throw refuse('{#…} can hold one plain variable only')
  const queries = takeTrailing(rest, ['?', '&'])
  const query = queries.length === 0 ? undefined : queryReader(rest, queries, refuse)
  return { body: bodyReader(layOutBody(rest, refuse)), query, fragment: fragment?.name }
}

function takeTrailing(parts: TemplatePart[], operators: readonly string[]): TemplateExpression[] {
  const taken: TemplateExpression[] = []
  for (
    let last = parts.at(-1);
    typeof last === 'object' && operators.includes(last.operator);
    last = parts.at(-1)
  ) {
    taken.unshift(last)
    parts.pop()
  }
  return taken
}
