const single = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])
const listed = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'])
const named = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'])

/** A place in a JSON Schema where another schema stands, with the keys that lead there from the root. */
export interface Subschema {
  readonly path: readonly string[]
  readonly schema: unknown
}

/**
 * The schemas directly inside one JSON Schema object.
 *
 * Only keywords that hold schemas are entered, so data inside `default`, `enum`, `const`, `examples` or an unknown
 * keyword is never taken for a schema. Whatever stands in a schema's place is given, valid or not.
 * JSON Schema 2020-12, core, section 10 (the older `definitions` and `additionalItems` included).
 */
export function* subschemas(schema: object, path: readonly string[] = []): Generator<Subschema> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (named.has(keyword) && isObject(value)) {
      for (const [name, inner] of Object.entries(value))
        yield { path: [...path, keyword, name], schema: inner }
    } else if (listed.has(keyword) && Array.isArray(value)) {
      for (const [index, inner] of value.entries())
        yield { path: [...path, keyword, String(index)], schema: inner }
    } else if (single.has(keyword)) {
      yield { path: [...path, keyword], schema: value }
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy of one JSON Schema object in which every schema directly inside it is replaced by what `map` gives. */
export function mapSubschemas(schema: object, map: (inner: unknown) => unknown): Record<string, unknown> {
  const copy = Object.entries(schema).map(([keyword, value]: [string, unknown]): [string, unknown] => {
    if (named.has(keyword) && isObject(value)) {
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, map(inner)] as const)),
      ]
    }
    if (listed.has(keyword) && Array.isArray(value)) return [keyword, value.map(map)]
    return [keyword, single.has(keyword) ? map(value) : value]
  })
  return Object.fromEntries(copy)
}
