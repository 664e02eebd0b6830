import { compileSchema } from '../../contract/schema/compiled-schema.js'
import { isZod, type Schema } from '../../contract/schema/definition.js'
import { resolved } from '../../contract/schema/reference.js'
import type { Side } from '../../contract/schema/zod-refusals.js'
import { DefinitionError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { subschemas } from '../../protocol/subschemas.js'
import { inModernDialect } from './dialect.js'

/** The schemas of a route and the shared ones it may refer to, as one document whose references all stay inside. */
export interface RouteSchemas {
  /** The schema of a part without the reference it may be; `undefined` when the part has none. */
  readonly part: (name: string) => JsonObject | undefined
  /** What a reference stands for. */
  readonly resolve: (schema: unknown) => JsonObject | undefined
  /** The schema with the definitions it needs beside it. */
  readonly complete: (schema: JsonObject) => JsonObject
}

/**
 * Reads the schemas of a route, each JSON Schema or zod 4, with the app's `addSchema` schemas by `$id`. Throws
 * `ERR_DEFINITION` for other libraries and for a reference to a schema nobody added.
 */
export function routeSchemas(
  where: string,
  parts: Readonly<Record<string, unknown>>,
  shared: Readonly<Record<string, unknown>>,
  side: Side,
): RouteSchemas {
  const given = Object.entries(parts).filter(([, schema]) => schema !== undefined)
  const documents = [
    ...given.map(([name, schema]) => ({ name, json: plainSchema(`${where}: ${name}`, schema, side) })),
    ...Object.values(shared).map((schema, index) => ({
      name: `shared${index + 1}`,
      json: plainSchema(`${where}: a shared schema`, schema, side),
    })),
  ]
  const names = new Map(documents.flatMap(({ name, json }) => idOf(json).map((id) => [id, name] as const)))
  const definitions = Object.fromEntries(
    documents.map(({ name, json }) => {
      const readdress = (reference: string) => readdressed(reference, name, names)
      const refuse = (reference: string): never => {
        throw new DefinitionError(
          `${where}: ${name}: the reference ${reference} leads to no schema of app.addSchema()`,
        )
      }
      return [name, inModernDialect(json, readdress, refuse)] as const
    }),
  )
  const root: JsonObject = { $defs: definitions }
  return {
    part: (name) => (Object.hasOwn(parts, name) ? resolved({ $ref: `#/$defs/${name}` }, root) : undefined),
    resolve: (schema) => resolved(schema, root),
    complete: (schema) => withDefinitions(schema, definitions),
  }
}

function plainSchema(where: string, schema: unknown, side: Side): unknown {
  const fluent = schema as { readonly isFluentSchema?: unknown; readonly isFluentJSONSchema?: unknown }
  if (typeof schema === 'boolean') return schema
  if (typeof schema !== 'object' || schema === null) return refuse(where)
  if (isZod(schema as Schema)) return compileSchema(schema as Schema, side, where).json
  if ('~standard' in schema || 'safeParse' in schema) return refuse(where)
  if (fluent.isFluentSchema === true || fluent.isFluentJSONSchema === true)
    return copied(where, schema.valueOf())
  return copied(where, schema)
}

function copied(where: string, schema: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(schema)) as unknown
  } catch {
    throw new DefinitionError(`${where}: the schema cannot be written as JSON`)
  }
}

function refuse(where: string): never {
  throw new DefinitionError(`${where}: this is neither JSON Schema nor a zod 4 schema`)
}

function idOf(json: unknown): readonly string[] {
  const id = isJsonObject(json) ? json['$id'] : undefined
  return typeof id === 'string' ? [id.replace(/#$/, '')] : []
}

function readdressed(reference: string, own: string, names: ReadonlyMap<string, string>): string | undefined {
  const [id = '', pointer = ''] = reference.split('#', 2)
  const name = id === '' ? own : names.get(id)
  if (name === undefined || (pointer !== '' && !pointer.startsWith('/'))) return undefined
  return `#/$defs/${name}${pointer}`
}

function withDefinitions(schema: JsonObject, definitions: JsonObject): JsonObject {
  const needed = new Set<string>()
  const visit = (inner: unknown) => {
    if (!isJsonObject(inner)) return
    const name = typeof inner['$ref'] === 'string' ? inner['$ref'].split('/')[2] : undefined
    if (name !== undefined && !needed.has(name)) {
      needed.add(name)
      visit(definitions[name])
    }
    for (const { schema: below } of subschemas(inner)) visit(below)
  }
  visit(schema)
  if (needed.size === 0) return schema
  return { ...schema, $defs: Object.fromEntries([...needed].map((name) => [name, definitions[name]])) }
}
