import { mapSubschemas } from '../../protocol/subschemas.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'

/** Where a reference of one document leads in the whole, or `undefined`. */
export type Readdress = (reference: string) => string | undefined

const dropped = new Set(['$schema', '$id', 'nullable', 'dependencies', 'x-mcp-header'])

/**
 * A schema of the draft-07 flavour Fastify validates with, OpenAPI's `nullable` included, in JSON Schema 2020-12, with
 * all references readdressed; `refuse` is told one that leads nowhere.
 */
export function inModernDialect(
  schema: unknown,
  readdress: Readdress,
  refuse: (reference: string) => never,
): unknown {
  if (!isJsonObject(schema)) return schema
  const modern = mapSubschemas(modernKeywords(schema), (inner) => inModernDialect(inner, readdress, refuse))
  const { $ref } = modern
  if (typeof $ref === 'string') modern['$ref'] = readdress($ref) ?? refuse($ref)
  return modern
}

function modernKeywords(schema: JsonObject): Record<string, unknown> {
  const modern = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !dropped.has(keyword)))
  const { nullable, items, additionalItems, dependencies, type } = schema
  if (nullable === true && type !== undefined) modern['type'] = [...new Set([type, 'null'].flat())]
  if (Array.isArray(items)) {
    modern['prefixItems'] = items
    modern['items'] = additionalItems ?? true
    delete modern['additionalItems']
  }
  if (isJsonObject(dependencies)) {
    const entries = Object.entries(dependencies)
    modern['dependentRequired'] = Object.fromEntries(entries.filter(([, value]) => Array.isArray(value)))
    modern['dependentSchemas'] = Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)))
  }
  return modern
}
