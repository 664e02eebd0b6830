import type { $ZodTemplateLiteral, $ZodType, $ZodTypes } from 'zod/v4/core'
import { isUnicodePattern } from './keywords.js'

/** `input` is what callers send, `output` what handlers return and callers get. */
export type Side = 'input' | 'output'

const noJsonForm: Partial<Record<$ZodTypes['_zod']['def']['type'], string>> = {
  bigint: 'z.bigint() has no JSON form; use z.int(), or z.string() of digits',
  custom:
    'z.custom() and z.instanceof() have no JSON form; use a built-in schema with .refine(), or jsonSchema()',
  date: 'z.date() has no JSON form; use z.iso.datetime()',
  file: 'z.file() has no JSON form; use z.base64()',
  function: 'a function has no JSON form',
  map: 'z.map() has no JSON form; use z.record()',
  nan: 'z.nan() has no JSON form; use z.null()',
  promise: 'z.promise() has no JSON form; await the value first',
  set: 'z.set() has no JSON form; use z.array()',
  success: 'z.success() does not say what it accepts',
  symbol: 'z.symbol() has no JSON form; use z.string() or z.enum()',
  transform: 'z.transform() alone does not say what it accepts; use z.string().transform() or the like',
  undefined: 'z.undefined() has no JSON form; use .optional() on the property, or z.null()',
  void: 'z.void() has no JSON form; leave the schema out, or use z.null()',
}

/** Why one zod schema, without what is inside it, has no faithful JSON Schema on this side; else `undefined`. */
export function refusal(schema: $ZodType, side: Side): string | undefined {
  const { def } = (schema as $ZodTypes)._zod
  switch (def.type) {
    case 'literal':
    case 'enum':
      return refusedValues('values' in def ? def.values : Object.values(def.entries))
    case 'template_literal':
      return refusedPattern((schema as $ZodTemplateLiteral)._zod.pattern)
    case 'object':
      return refusedKeys(def.shape)
    case 'record':
      return refusedRecord(def, side)
    case 'array':
      return side === 'output' ? refusedItems([def.element]) : undefined
    case 'tuple':
      return side === 'output' ? refusedItems(def.rest ? [...def.items, def.rest] : def.items) : undefined
    case 'pipe':
      if (side === 'output')
        return 'a transform, pipe or codec has no place in an output; do it in the handler'
      return isTransform(def.in)
        ? 'z.preprocess() hides what it accepts; use z.union() and .transform()'
        : undefined
    default:
      return noJsonForm[def.type] ?? refusedChecks(schema, side)
  }
}

/** The checks of a schema in the order they run; a format such as `z.email()` is its own first check. */
export function checksOf(schema: $ZodType): readonly CheckDefinition[] {
  const own = (schema._zod.def.checks ?? []).map((check) => check._zod.def as CheckDefinition)
  return 'check' in schema._zod.def ? [schema._zod.def as unknown as CheckDefinition, ...own] : own
}

interface CheckDefinition {
  readonly check: string
  readonly pattern?: RegExp
}

const annotations = new Set(['describe', 'meta'])

function refusedChecks(schema: $ZodType, side: Side): string | undefined {
  let constrained = false
  for (const { check, pattern } of checksOf(schema)) {
    const problem = pattern === undefined ? undefined : refusedPattern(pattern)
    if (problem !== undefined) return problem
    if (check === 'overwrite' && constrained && side === 'output') {
      return 'a check before .trim() or another change does not hold for what is sent; change the value first'
    }
    if (check !== 'overwrite' && !annotations.has(check)) constrained = true
  }
  return undefined
}

function refusedPattern(pattern: RegExp): string | undefined {
  if (pattern.flags !== '' && pattern.flags !== 'u') {
    return `${String(pattern)} has flags that JSON Schema cannot express; write them into the pattern`
  }
  if (isUnicodePattern(pattern.source)) return undefined
  return `${String(pattern)} is not valid with the u flag, with which JSON Schema reads patterns`
}

function refusedValues(values: readonly unknown[]): string | undefined {
  const odd = values.find((value) => value === undefined || typeof value === 'bigint' || isInfinite(value))
  return odd !== undefined || values.includes(undefined)
    ? `the value ${String(odd)} has no JSON form`
    : undefined
}

function isInfinite(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value)
}

function refusedKeys(shape: object): string | undefined {
  if (Object.hasOwn(shape, '__proto__')) return 'a property named __proto__ is never read'
  return Object.getOwnPropertySymbols(shape).length > 0 ? 'a symbol key has no JSON form' : undefined
}

type RecordDefinition = Extract<$ZodTypes['_zod']['def'], { type: 'record' }>

function refusedRecord(def: RecordDefinition, side: Side): string | undefined {
  const { keyType, valueType, mode } = def
  if (mode === 'loose') {
    const checks = checksOf(keyType)
    if (checks.length === 1 && checks[0]?.pattern !== undefined) return undefined
    return 'z.looseRecord() can be expressed only when its key is a string with one pattern'
  }
  const exhaustive = keyType._zod.values !== undefined && !('partial' in def && def.partial)
  if (side === 'output' && exhaustive && isOptional(valueType)) {
    return 'values that may be undefined vanish from what is sent; use z.partialRecord()'
  }
  return undefined
}

function refusedItems(
  items: readonly { readonly _zod: { readonly optout?: unknown } }[],
): string | undefined {
  return items.some(isOptional)
    ? 'an item that may be undefined becomes null when sent; use .nullable()'
    : undefined
}

function isOptional(schema: { readonly _zod: { readonly optout?: unknown } }): boolean {
  return schema._zod.optout === 'optional'
}

function isTransform(schema: object): boolean {
  return (schema as $ZodTypes)._zod.def.type === 'transform'
}
