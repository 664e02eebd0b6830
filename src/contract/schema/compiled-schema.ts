import { safeParse, safeParseAsync, type $ZodIssue, type $ZodType } from 'zod/v4/core'
import { DefinitionError } from '../../errors.js'
import type { JsonObject } from '../../protocol/json.js'
import { issueText } from './issue-text.js'
import { checkedSchema } from './check.js'
import { isZod, type JsonSchema, type Schema } from './definition.js'
import { zodToJsonSchema } from './zod-conversion.js'
import { examineZod } from './zod-examination.js'
import type { Side } from './zod-refusals.js'

/** A parsed value, or what is wrong with it in words that name each field. */
export type Parsed =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: string }

/** A schema worked out once: what is advertised, frozen at every depth, and the parser that agrees with it. */
export interface CompiledSchema {
  readonly json: JsonObject
  /** Gives a promise only when the schema holds functions of its author's. */
  readonly parse: (value: unknown) => Parsed | Promise<Parsed>
}

/** Compiles a schema for one side; `where` begins the message of a refusal, `ERR_DEFINITION`. */
export function compileSchema(schema: Schema, side: Side, where: string): CompiledSchema {
  if (!isZod(schema)) {
    refuseStranger(schema, where)
    return { json: checkedSchema(schema.json, where), parse: rawParser(schema) }
  }
  const { mayBeAsync, holdsAnything } = examineZod(schema, side, where)
  const json = checkedSchema(zodToJsonSchema(schema, side, where), where)
  const parse = mayBeAsync ? asyncParser(schema) : syncParser(schema)
  return { json, parse: side === 'output' && holdsAnything ? onJsonForm(parse) : parse }
}

type Parse = CompiledSchema['parse']

function refuseStranger(schema: Partial<JsonSchema<unknown>>, where: string): void {
  if (typeof schema.validate === 'function') return
  throw new DefinitionError(`${where}: this is neither a zod 4 schema nor made by jsonSchema()`)
}

function syncParser(schema: $ZodType): Parse {
  return (value) => outcome(safeParse(schema, value))
}

function asyncParser(schema: $ZodType): Parse {
  return async (value) => outcome(await safeParseAsync(schema, value))
}

function outcome(
  result: { success: true; data: unknown } | { success: false; error: { issues: $ZodIssue[] } },
): Parsed {
  return result.success
    ? { ok: true, value: result.data }
    : { ok: false, issues: issueText(result.error.issues) }
}

function rawParser({ validate }: JsonSchema<unknown>): Parse {
  return (value) => {
    const result = validate(value)
    return 'issues' in result ? { ok: false, issues: result.issues } : { ok: true, value: result.value }
  }
}

/** Parses what JSON would carry of the value, since `z.any()` and `z.unknown()` let anything through. */
function onJsonForm(parse: Parse): Parse {
  return (value) => {
    let text: string | undefined
    try {
      text = JSON.stringify(value)
    } catch {
      text = undefined
    }
    return text === undefined ? { ok: false, issues: 'The value has no JSON form' } : parse(JSON.parse(text))
  }
}
