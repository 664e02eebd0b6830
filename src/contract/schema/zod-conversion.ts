import { globalRegistry, toJSONSchema, type $ZodType, type $ZodTypes } from 'zod/v4/core'
import { DefinitionError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { subschemas, type Subschema } from '../../protocol/subschemas.js'
import { resolved } from './reference.js'
import type { Side } from './zod-refusals.js'

const formats = new Set(
  (
    'date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri ' +
    'iri-reference uuid uri-template json-pointer relative-json-pointer regex'
  ).split(' '),
)

/**
 * The JSON Schema 2020-12 of a zod schema that was examined before, as zod writes it, without what would mislead:
 * formats no validator knows, `readOnly` for `.readonly()`, and defaults that differ each time. Throws
 * `ERR_DEFINITION` for two schemas with one meta id, and for an intersection of closed objects that stays one.
 */
export function zodToJsonSchema(schema: $ZodType, side: Side, where: string): JsonObject {
  const json: Record<string, unknown> = {}
  try {
    Object.assign(json, toJSONSchema(schema, { io: side, target: 'draft-2020-12', override: correct }))
    delete json['$schema']
  } catch (error) {
    throw new DefinitionError(`${where}: ${error instanceof Error ? error.message : String(error)}`)
  }
  refuseClosedIntersections(json, where)
  return json
}

function correct({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: $ZodType
  jsonSchema: Record<string, unknown>
}): void {
  const { def } = (zodSchema as $ZodTypes)._zod
  const meta: Record<string, unknown> = globalRegistry.get(zodSchema) ?? {}
  const written = (keyword: string) => Object.hasOwn(jsonSchema, keyword) && !Object.hasOwn(meta, keyword)
  if (def.type === 'string' && written('format') && !formats.has(String(jsonSchema['format']))) {
    delete jsonSchema['format']
  }
  if (def.type === 'readonly' && written('readOnly')) delete jsonSchema['readOnly']
  if (def.type === 'catch' && written('default')) delete jsonSchema['default']
  if ((def.type === 'default' || def.type === 'prefault') && written('default')) {
    const values = [jsonSchema['default'], def.defaultValue, def.defaultValue].map((value) =>
      JSON.stringify(value),
    )
    if (new Set(values).size > 1) delete jsonSchema['default']
  }
  if (def.type === 'union' && 'unionFallback' in def && def.unionFallback === true && written('oneOf')) {
    jsonSchema['anyOf'] = jsonSchema['oneOf']
    delete jsonSchema['oneOf']
  }
}

function refuseClosedIntersections(root: JsonObject, where: string): void {
  const places: Subschema[] = [{ path: [], schema: root }]
  for (const { path, schema } of places) {
    if (!isJsonObject(schema)) continue
    const { allOf } = schema
    if (Array.isArray(allOf) && allOf.some((member) => isClosed(member, root))) {
      throw new DefinitionError(
        `${[where, ...path].join('.')}: these objects cannot be intersected in JSON Schema; use .extend()`,
      )
    }
    for (const inner of subschemas(schema, path)) places.push(inner)
  }
}

function isClosed(schema: unknown, root: JsonObject, depth = 0): boolean {
  const object = resolved(schema, root)
  if (object === undefined || depth > 16) return false
  if (object['additionalProperties'] === false) return true
  return ['allOf', 'anyOf', 'oneOf'].some((keyword) => {
    const members = object[keyword]
    return Array.isArray(members) && members.some((member) => isClosed(member, root, depth + 1))
  })
}
