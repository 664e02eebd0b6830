import type { $ZodType, input, output } from 'zod/v4/core'
import type { JsonObject } from '../../protocol/json.js'

/** What a validator of a raw JSON Schema answers: the value, or what is wrong with it in words. */
export type Validated<T> = { readonly value: T } | { readonly issues: string }

/** A JSON Schema with its own validator, accepted wherever a zod schema is. */
export interface JsonSchema<T> {
  readonly json: JsonObject
  readonly validate: (value: unknown) => Validated<T>
}

/** A zod 4 schema (classic or mini) or a raw JSON Schema. */
export type Schema = $ZodType | JsonSchema<unknown>

/** What a caller writes. */
export type InputOf<S extends Schema> = S extends $ZodType
  ? input<S>
  : S extends JsonSchema<infer T>
    ? T
    : never

/** What a handler gets. */
export type ParsedOf<S extends Schema> = S extends $ZodType
  ? output<S>
  : S extends JsonSchema<infer T>
    ? T
    : never

/** What a handler may return. */
export type OutputOf<S extends Schema> = InputOf<S>

/** What a client receives. */
export type ResultOf<S extends Schema> = ParsedOf<S>

/**
 * Declares a JSON Schema 2020-12 as it stands, with the validator that speaks for it.
 *
 * `jsonSchema({ type: 'object', … }, (value) => check(value) ? { value } : { issues: 'size: too large' })`. The
 * schema is checked when it is used in a definition, and sent with every keyword in its place. MCP 2026-07-28, basic,
 * "JSON Schema Usage".
 */
export function jsonSchema<T>(json: JsonObject, validate: (value: unknown) => Validated<T>): JsonSchema<T> {
  return Object.freeze({ json, validate })
}

export function isZod(schema: Schema): schema is $ZodType {
  return '_zod' in schema
}
