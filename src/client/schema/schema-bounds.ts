import { misshapenKeyword } from '../../contract/schema/keywords.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { subschemas, type Subschema } from '../../protocol/subschemas.js'

const maximumText = 1024 * 1024
/** Compiling takes time in proportion to the square of the schemas side by side: about three seconds for these. */
const maximumSchemas = 2000
const maximumDepth = 64

/** JSON Schema dialects that can be judged, by the `$schema` a document names. */
export type Dialect = '2020-12' | 'draft-07'

const dialects = new Map<unknown, Dialect>([
  [undefined, '2020-12'],
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
])

/** The dialect of a schema; what cannot be judged is told in words (MCP 2026-07-28, basic, "JSON Schema Usage"). */
export function schemaDialect(schema: JsonObject, text: string): Dialect | { readonly problem: string } {
  const named = schema['$schema']
  const dialect = dialects.get(typeof named === 'string' ? named.replace(/#$/, '') : named)
  if (dialect === undefined) {
    return { problem: `its JSON Schema dialect ${JSON.stringify(named).slice(0, 128)} is not supported` }
  }
  if (text.length > maximumText) return { problem: 'it is too large' }
  const places: Subschema[] = [{ path: [], schema }]
  for (const { path, schema: inner } of places) {
    if (!isJsonObject(inner)) continue
    if (path.length > 2 * maximumDepth) return { problem: 'it is nested too deeply' }
    const problem = referenceProblem(inner) ?? (dialect === '2020-12' ? misshapenKeyword(inner) : undefined)
    if (problem !== undefined) return { problem }
    if (path.length > 0 && inner['$id'] !== undefined) return { problem: 'it has an `$id` below its root' }
    for (const place of subschemas(inner, path)) places.push(place)
    if (places.length > maximumSchemas) return { problem: 'it holds too many schemas' }
  }
  return dialect
}

/** References stay in the document: nothing is ever fetched. */
function referenceProblem(schema: JsonObject): string | undefined {
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = schema[keyword]
    if (reference === undefined) continue
    if (typeof reference !== 'string') return `its \`${keyword}\` is not a string`
    if (!reference.startsWith('#')) {
      return `its reference ${JSON.stringify(reference.slice(0, 128))} leaves the document, and is never fetched`
    }
  }
  return undefined
}
