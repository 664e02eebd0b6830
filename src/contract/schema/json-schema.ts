import { DefinitionError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { compileSchema, type CompiledSchema, type Parsed } from './compiled-schema.js'
import { isZod, type Schema } from './definition.js'
import { resolved } from './reference.js'

export type { CompiledSchema, Parsed } from './compiled-schema.js'
export { stringValues, type StringValues } from './string-values.js'
export {
  jsonSchema,
  type InputOf,
  type JsonSchema,
  type OutputOf,
  type ParsedOf,
  type ResultOf,
  type Schema,
  type Validated,
} from './definition.js'

const noArguments: CompiledSchema = Object.freeze({
  json: Object.freeze({ type: 'object', additionalProperties: false }),
  parse: (value: unknown): Parsed => {
    const given = isJsonObject(value) ? Object.keys(value).length : 1
    return given === 0 ? { ok: true, value: {} } : { ok: false, issues: 'No arguments are expected' }
  },
})

/**
 * Compiles the input of a tool: its arguments, always an object; without a schema, an object with nothing in it.
 *
 * The schema may be an object, a record, or a union or intersection of them; `.transform()` and codecs are
 * advertised by what they accept. Throws `ERR_DEFINITION` with `where` and the path for everything else (MCP
 * 2026-07-28, tools, "Data Types").
 */
export function toolInputSchema(schema: Schema | undefined, where: string): CompiledSchema {
  if (schema === undefined) return noArguments
  const place = `${where}: input`
  const { json, parse } = compileSchema(schema, 'input', place)
  if (!isZod(schema) && json['type'] !== 'object') {
    throw new DefinitionError(`${place}: the JSON Schema of arguments needs "type": "object" at its root`)
  }
  if (!admitsOnlyObjects(json, json) || (isZod(schema) && schema._zod.optin !== undefined)) {
    throw new DefinitionError(
      `${place}: arguments are always an object; use z.object() or a union of objects`,
    )
  }
  return Object.freeze({
    json: json['type'] === 'object' ? json : Object.freeze({ type: 'object', ...json }),
    parse,
  })
}

/**
 * Compiles the output of a tool: any JSON value, but never `undefined`. The handler returns the input side, and what
 * is sent is the parsed value, so defaults are filled in and unknown keys of `z.object()` gone.
 *
 * Throws `ERR_DEFINITION` with `where` and the path for a transform, a pipe, a codec, and what JSON cannot carry (MCP
 * 2026-07-28, tools, "Output Schema").
 */
export function outputSchema(schema: Schema, where: string): CompiledSchema {
  const place = `${where}: output`
  const { json, parse } = compileSchema(schema, 'output', place)
  if (isZod(schema) && schema._zod.optout === 'optional') {
    throw new DefinitionError(`${place}: a result is never undefined; use .nullable()`)
  }
  return Object.freeze({ json, parse: (value: unknown) => (value === undefined ? nothing : parse(value)) })
}

const nothing: Parsed = Object.freeze({ ok: false, issues: 'The result is undefined' })

function admitsOnlyObjects(schema: unknown, root: JsonObject, depth = 0): boolean {
  const json = resolved(schema, root)
  if (json === undefined || depth > 16) return false
  if (json['type'] === 'object') return true
  const every = (keyword: string, found: 'every' | 'some') => {
    const members = json[keyword]
    return Array.isArray(members) && members[found]((member) => admitsOnlyObjects(member, root, depth + 1))
  }
  return every('anyOf', 'every') || every('oneOf', 'every') || every('allOf', 'some')
}
