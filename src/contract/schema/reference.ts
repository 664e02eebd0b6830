import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { Subschema } from '../../protocol/subschemas.js'

/** The schema a local pointer (`#`, `#/$defs/Note`) leads to, or `undefined`. RFC 6901, section 6. */
export function schemaAt(root: JsonObject, reference: string): JsonObject | boolean | undefined {
  let place: unknown = root
  if (reference !== '#') {
    if (!reference.startsWith('#/')) return undefined
    for (const part of reference.slice(2).split('/')) {
      const key = decodedPart(part)
      if (typeof place !== 'object' || place === null || key === undefined || !Object.hasOwn(place, key))
        return undefined
      place = (place as Record<string, unknown>)[key]
    }
  }
  return typeof place === 'boolean' || isJsonObject(place) ? place : undefined
}

/**
 * The schema itself, or the one it stands for when it is a reference; its own keywords win. Follows a few hops only,
 * since references may go round.
 */
export function resolved(schema: unknown, root: JsonObject): JsonObject | undefined {
  let current = schema
  for (let hops = 0; hops < 16 && isJsonObject(current); hops++) {
    const { $ref, ...own } = current
    if (typeof $ref !== 'string') return current
    const target = schemaAt(root, $ref)
    if (!isJsonObject(target)) return undefined
    current = { ...target, ...own }
  }
  return undefined
}

/** The names by which schemas of one document can be referred to, `$anchor` and `$dynamicAnchor`. */
export function anchorsOf(places: readonly Subschema[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { schema } of places) {
    if (!isJsonObject(schema)) continue
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = schema[keyword]
      if (typeof name === 'string') names.add(name)
    }
  }
  return names
}

function decodedPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}
