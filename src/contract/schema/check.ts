import { DefinitionError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { subschemas, type Subschema } from '../../protocol/subschemas.js'
import { misshapenKeyword } from './keywords.js'
import { anchorsOf, schemaAt } from './reference.js'

const dialects = new Set([
  undefined,
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2020-12/schema#',
])
const maximumNesting = 128
const maximumSchemas = 10_000

/**
 * Copies a JSON Schema, checks it and freezes it at every depth; `where` begins the message of a refusal.
 *
 * Refused with `ERR_DEFINITION`: what is not a JSON object, another dialect than 2020-12, a keyword with a value of
 * the wrong shape, a reference that leaves the document or leads nowhere, and unreasonable depth or size. Keywords
 * keep their order and unknown ones their place. MCP 2026-07-28, basic, "JSON Schema Usage" (SCH-1 to SCH-6).
 */
export function checkedSchema(schema: unknown, where: string): JsonObject {
  const json = isJsonObject(schema) ? frozenCopy(schema, where) : undefined
  if (!isJsonObject(json)) throw new DefinitionError(`${where}: a JSON Schema is an object`)
  const places = allSchemas(json, where)
  const anchors = anchorsOf(places)
  for (const { path, schema: inner } of places) {
    const place = [where, ...path].join('.')
    if (typeof inner === 'boolean') continue
    if (!isJsonObject(inner)) throw new DefinitionError(`${place}: a schema is an object, true or false`)
    if (!dialects.has(inner['$schema'] as string | undefined)) {
      throw new DefinitionError(
        `${place}: only JSON Schema 2020-12 is supported, not ${String(inner['$schema'])}`,
      )
    }
    const problem = misshapenKeyword(inner)
    if (problem !== undefined) throw new DefinitionError(`${place}: ${problem}`)
    if (path.length > 0 && inner['$id'] !== undefined) {
      throw new DefinitionError(`${place}: "$id" below the root changes what references mean; leave it out`)
    }
    for (const keyword of ['$ref', '$dynamicRef']) checkReference(json, inner[keyword], anchors, place)
  }
  return json
}

function allSchemas(root: JsonObject, where: string): readonly Subschema[] {
  const places: Subschema[] = [{ path: [], schema: root }]
  for (const { path, schema } of places) {
    if (!isJsonObject(schema)) continue
    for (const inner of subschemas(schema, path)) places.push(inner)
    if (places.length > maximumSchemas) {
      throw new DefinitionError(`${where}: the schema has more than ${maximumSchemas} schemas inside`)
    }
  }
  return places
}

function checkReference(
  root: JsonObject,
  reference: unknown,
  anchors: ReadonlySet<string>,
  place: string,
): void {
  if (typeof reference !== 'string') return
  if (!reference.startsWith('#')) {
    throw new DefinitionError(
      `${place}: the reference ${reference} leaves the document, and is never fetched`,
    )
  }
  const found = anchors.has(reference.slice(1)) || schemaAt(root, reference) !== undefined
  if (!found) throw new DefinitionError(`${place}: the reference ${reference} leads nowhere`)
}

function frozenCopy(schema: JsonObject, where: string): unknown {
  let text: string
  try {
    text = JSON.stringify(schema)
  } catch {
    throw new DefinitionError(`${where}: the schema cannot be written as JSON`)
  }
  const freeze = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (depth > maximumNesting) throw new DefinitionError(`${where}: the schema is nested too deeply`)
    for (const inner of Object.values(value)) freeze(inner, depth + 1)
    return Object.freeze(value)
  }
  return freeze(JSON.parse(text), 0)
}
