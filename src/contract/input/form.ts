import type { JsonObject } from '../../protocol/json.js'
import { compileSchema, type CompiledSchema } from '../schema/compiled-schema.js'
import type { ParsedOf, Schema } from '../schema/definition.js'
import { formSchema } from './form-schema.js'

/** A form the user fills in. */
export interface Form<Fields extends Schema = Schema> {
  readonly kind: 'form'
  readonly fields: Fields
  /** What clients are sent. */
  readonly requestedSchema: JsonObject
  readonly parse: CompiledSchema['parse']
}

/** What became of a form; only accepted ones have content. */
export type FormAnswer<Content> =
  { readonly action: 'accept'; readonly content: Content } | { readonly action: 'decline' | 'cancel' }

export type ContentOf<F extends Form> = ParsedOf<F['fields']>

/**
 * Declares a form: one flat `z.object()` of strings (`z.email()`, `z.url()`, `z.iso.date()`, `z.iso.datetime()`),
 * numbers, booleans, `z.enum()`, unions of `z.literal()` with `.meta({ title })`, and arrays of those choices.
 *
 * Never for passwords, keys or payment data: those belong on a page, see `urlConsent`. Throws `ERR_DEFINITION` for a
 * field that forms do not know (MCP 2026-07-28, elicitation, "Form Mode").
 */
export function form<Fields extends Schema>(fields: Fields): Form<Fields> {
  const { json, parse } = compileSchema(fields, 'input', 'form')
  return Object.freeze({ kind: 'form', fields, requestedSchema: formSchema(json, 'form'), parse })
}
