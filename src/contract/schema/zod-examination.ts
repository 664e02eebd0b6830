import type { $ZodType, $ZodTypes } from 'zod/v4/core'
import { DefinitionError } from '../../errors.js'
import { checksOf, refusal, type Side } from './zod-refusals.js'

/** What parsing with a schema needs to know. */
export interface ZodFacts {
  /** It holds checks or transforms of the author's, any of which may give a promise. */
  readonly mayBeAsync: boolean
  /** It holds `z.any()` or `z.unknown()`, so that values without a JSON form get through. */
  readonly holdsAnything: boolean
}

/**
 * Walks a zod schema and everything inside it, recursion included. Throws `ERR_DEFINITION` for the first construct
 * that JSON Schema cannot express on this side; the message names its path below `where`.
 */
export function examineZod(root: $ZodType, side: Side, where: string): ZodFacts {
  const seen = new Set<$ZodType>()
  let mayBeAsync = false
  let holdsAnything = false
  const visit = (schema: $ZodType, path: string) => {
    if (seen.has(schema)) return
    seen.add(schema)
    const reason = refusal(schema, side)
    if (reason !== undefined) throw new DefinitionError(`${path}: ${reason}`)
    const { type } = (schema as $ZodTypes)._zod.def
    mayBeAsync ||= type === 'pipe' || checksOf(schema).some(({ check }) => !synchronous.has(check))
    holdsAnything ||= type === 'any' || type === 'unknown'
    for (const [step, inner] of inside(schema))
      visit(inner as $ZodType, step === '' ? path : `${path}.${step}`)
  }
  visit(root, where)
  return { mayBeAsync, holdsAnything }
}

const synchronous = new Set(
  (
    'describe meta overwrite string_format number_format min_length max_length length_equals ' +
    'greater_than less_than multiple_of'
  ).split(' '),
)

type Inner = readonly [step: string, schema: object]

function inside(schema: $ZodType): readonly Inner[] {
  const { def } = (schema as $ZodTypes)._zod
  switch (def.type) {
    case 'object': {
      const properties = Object.entries(def.shape).map(([key, inner]): Inner => [`properties.${key}`, inner])
      return def.catchall === undefined ? properties : [...properties, ['additionalProperties', def.catchall]]
    }
    case 'array':
      return [['items', def.element]]
    case 'tuple': {
      const items = def.items.map((inner, index): Inner => [`prefixItems.${index}`, inner])
      return def.rest === null ? items : [...items, ['items', def.rest]]
    }
    case 'record':
      return [
        ['propertyNames', def.keyType],
        ['additionalProperties', def.valueType],
      ]
    case 'union':
      return def.options.map((inner, index): Inner => [
        `${def.inclusive === false ? 'oneOf' : 'anyOf'}.${index}`,
        inner,
      ])
    case 'intersection':
      return [
        ['allOf.0', def.left],
        ['allOf.1', def.right],
      ]
    case 'pipe':
      return [['', def.in]]
    case 'lazy':
      return [['', def.getter()]]
    default:
      return 'innerType' in def ? [['', def.innerType]] : []
  }
}
