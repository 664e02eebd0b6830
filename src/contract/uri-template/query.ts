import type { DefinitionError } from '../../errors.js'
import type { Found } from './reader.js'
import { readText } from './values.js'
import type { TemplateExpression, TemplatePart } from './syntax.js'

/** Reads a query, without its `?`, into `found`; `false` when it is not one of the template. */
export type QueryReader = (query: string | undefined, found: Found) => boolean

/**
 * Makes the reader of `{?…}`, or of `{&…}` behind a query written out, which it takes from the end of `parts`.
 * Every parameter is optional, in any order; one unknown, or given twice without being a list, is no match.
 */
export function queryReader(
  parts: TemplatePart[],
  expressions: readonly TemplateExpression[],
  refuse: (reason: string) => DefinitionError,
): QueryReader {
  const fixed = takeWrittenQuery(parts, expressions[0]?.operator === '&', refuse)
  const isList = new Map(
    expressions.flatMap(({ variables }) => variables.map((v) => [v.name, v.explode] as const)),
  )
  return (query, found) => {
    const rest = withoutFixed(query, fixed)
    if (rest === undefined) return false
    if (rest === '') return true
    const values = new Map<string, string | string[]>()
    for (const pair of rest.split('&')) {
      if (!readPair(pair, isList, values)) return false
    }
    found.push(...values)
    return true
  }
}

function takeWrittenQuery(
  parts: TemplatePart[],
  continued: boolean,
  refuse: (reason: string) => DefinitionError,
): string {
  const last = parts.at(-1)
  const mark = typeof last === 'string' ? last.indexOf('?') : -1
  const marks = parts.filter((part) => typeof part === 'string' && part.includes('?')).length
  if (!continued && marks > 0) throw refuse('{?…} stands behind another "?"')
  if (!continued) return ''
  if (typeof last !== 'string' || mark === -1 || marks > 1)
    throw refuse('{&…} must follow a written-out query')
  parts.pop()
  if (mark > 0) parts.push(last.slice(0, mark))
  return last.slice(mark + 1)
}

function withoutFixed(query: string | undefined, fixed: string): string | undefined {
  if (fixed === '') return query ?? ''
  if (query === fixed) return ''
  return query?.startsWith(`${fixed}&`) === true ? query.slice(fixed.length + 1) : undefined
}

function readPair(
  pair: string,
  isList: ReadonlyMap<string, boolean>,
  values: Map<string, string | string[]>,
): boolean {
  const equals = pair.indexOf('=')
  const name = equals === -1 ? pair : pair.slice(0, equals)
  const value = equals === -1 || pair.includes('#') ? undefined : readText(pair.slice(equals + 1))
  if (value === undefined) return false
  const before = values.get(name)
  if (isList.get(name) === true) {
    if (Array.isArray(before)) before.push(value)
    else values.set(name, [value])
    return true
  }
  if (!isList.has(name) || before !== undefined) return false
  values.set(name, value)
  return true
}
