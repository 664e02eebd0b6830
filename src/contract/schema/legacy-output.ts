import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { mapSubschemas } from '../../protocol/subschemas.js'
import { resolved } from './reference.js'

/**
 * Whether 2025-11-25 clients, which know object results only, get a result of this schema inside `{ "value": … }`.
 *
 * Objects stay, and so do unions whose branches are objects told apart by a constant; all else is wrapped.
 */
export function legacyWraps(json: JsonObject): boolean {
  const branches = objectBranches(json, json)
  if (branches === undefined) return true
  return branches.length > 1 && !isTagged(branches)
}

/**
 * The output schema for 2025-11-25 clients: `type: "object"` at the root, and what `legacyWraps` says is wrapped, its
 * local references following it (MCP 2025-11-25, tools, "Output Schema").
 */
export function legacyOutputSchema(json: JsonObject): JsonObject {
  if (!legacyWraps(json)) return json['type'] === 'object' ? json : { type: 'object', ...json }
  const { $schema, ...schema } = json
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { value: typeof json['$id'] === 'string' ? schema : moved(schema) },
    required: ['value'],
  }
}

function moved(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema
  const copy = mapSubschemas(schema, moved)
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = copy[keyword]
    if (typeof reference !== 'string' || (reference !== '#' && !reference.startsWith('#/'))) continue
    copy[keyword] = `#/properties/value${reference.slice(1)}`
  }
  return copy
}

/** The object schemas a schema chooses between, or `undefined` when it admits anything but objects. */
function objectBranches(schema: unknown, root: JsonObject, depth = 0): readonly JsonObject[] | undefined {
  const json = resolved(schema, root)
  if (json === undefined || depth > 16) return undefined
  const options = json['oneOf'] ?? json['anyOf']
  if (json['type'] === 'object') return [json]
  if (!Array.isArray(options)) return undefined
  const branches = options.map((option) => objectBranches(option, root, depth + 1))
  return branches.every((branch) => branch !== undefined) ? branches.flat() : undefined
}

function isTagged(branches: readonly JsonObject[]): boolean {
  const [first] = branches
  const properties = first?.['properties']
  if (!isJsonObject(properties)) return false
  return Object.keys(properties).some((name) => {
    const tags = branches.map((branch) => tagsOf(branch, name))
    if (!tags.every((values) => values !== undefined)) return false
    const all = tags.flat().map((value) => JSON.stringify(value))
    return new Set(all).size === all.length
  })
}

function tagsOf(branch: JsonObject, name: string): readonly unknown[] | undefined {
  const { properties, required } = branch
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!isJsonObject(property) || !Array.isArray(required) || !required.includes(name)) return undefined
  if (Array.isArray(property['enum'])) return property['enum'] as unknown[]
  return 'const' in property ? [property['const']] : undefined
}
