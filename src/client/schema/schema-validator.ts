import type { ErrorObject } from 'ajv'
import { LRUCache } from 'lru-cache'
import type { JsonObject } from '../../protocol/json.js'
import { schemaDialect, type Dialect } from './schema-bounds.js'
import { counted, engineOf } from './schema-engine.js'

/** One thing that is wrong with a value: where (a JSON Pointer), which keyword says so, and in words. */
interface ValueIssue {
  readonly path: string
  readonly constraint: string
  readonly message: string
}

/** Judges values by one JSON Schema: no issues, or at least one. */
export type Validate = (value: unknown) => readonly ValueIssue[]

/** A schema that cannot be judged, with the reason. */
export interface Unusable {
  readonly problem: string
}

const compiled = new LRUCache<string, Promise<Validate | Unusable>>({
  max: 2000,
  maxSize: 32 * 1024 * 1024,
  sizeCalculation: (_validate, text) => text.length + 1,
})

/**
 * A validator for a schema of a server, kept by the content of the schema.
 *
 * References never leave the document, and size, depth, regular expressions and steps of validation are bounded.
 * MCP 2026-07-28, basic, "JSON Schema Usage" (SCH-1 to SCH-5).
 */
export function schemaValidator(schema: JsonObject): Promise<Validate | Unusable> {
  const seen = validators.get(schema)
  if (seen !== undefined) return seen
  const validate = byContent(schema)
  validators.set(schema, validate)
  return validate
}

/** The validators of schema objects that were met before; a listed schema is one object until it is listed anew. */
const validators = new WeakMap<JsonObject, Promise<Validate | Unusable>>()

function byContent(schema: JsonObject): Promise<Validate | Unusable> {
  const text = JSON.stringify(schema)
  const dialect = schemaDialect(schema, text)
  if (typeof dialect !== 'string') return Promise.resolve(dialect)
  const known = compiled.get(text)
  if (known !== undefined) return known
  const fresh = compile(schema, dialect)
  compiled.set(text, fresh)
  return fresh
}

async function compile(schema: JsonObject, dialect: Dialect): Promise<Validate | Unusable> {
  const { ajv, budget } = await engineOf(dialect)
  const own = counted(schema)
  try {
    const validate = ajv.compile(own)
    return (value) => (budget.run(() => validate(value)) ? [] : issuesOf(validate.errors))
  } catch (error) {
    return { problem: `it cannot be compiled: ${error instanceof Error ? error.message : 'unknown reason'}` }
  } finally {
    ajv.removeSchema(own)
  }
}

function issuesOf(errors: readonly ErrorObject[] | null | undefined): readonly ValueIssue[] {
  return (errors ?? []).slice(0, 20).map(({ instancePath, keyword, message = 'is not valid', params }) => {
    const { additionalProperty } = params as { additionalProperty?: unknown }
    const extra =
      typeof additionalProperty === 'string' ? ` (${JSON.stringify(additionalProperty.slice(0, 64))})` : ''
    return { path: instancePath, constraint: keyword, message: `${message}${extra}` }
  })
}
