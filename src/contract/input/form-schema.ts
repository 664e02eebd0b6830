import { DefinitionError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'

const stringFormats = new Set(['email', 'uri', 'date', 'date-time'])

/** The keywords of each kind of field besides `type`, `title`, `description` and `default`. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems', 'items'],
}

/**
 * The schema of a form as clients know it: an object of strings, numbers, booleans, choices and lists of choices.
 * Throws `ERR_DEFINITION` for everything else (MCP 2026-07-28, elicitation, "Requested Schema", EL-5).
 */
export function formSchema(json: JsonObject, where: string): JsonObject {
  const { type, properties, required } = json
  if (type !== 'object' || !isJsonObject(properties)) {
    throw new DefinitionError(`${where}: a form is one z.object() of simple fields`)
  }
  const fields = Object.entries(properties).map(([name, property]): [string, JsonObject] => [
    name,
    field(property, `${where}.properties.${name}`),
  ])
  return Object.freeze({
    type,
    properties: Object.freeze(Object.fromEntries(fields)),
    ...(required !== undefined && { required }),
  })
}

function field(schema: unknown, where: string): JsonObject {
  const json = isJsonObject(schema) ? schema : {}
  const told = shown(json)
  const choices = choice(json)
  if (choices !== undefined) return Object.freeze({ type: 'string', ...choices, ...told })
  const type = String(json['type'])
  const own = keywords[type]
  if (own === undefined) {
    throw new DefinitionError(
      `${where}: a field is a string, a number, a boolean, a choice or a list of choices`,
    )
  }
  const kept = type === 'array' ? list(json, where) : bounded(json)
  for (const keyword of Object.keys(kept)) {
    if (keyword in told || keyword === 'type' || own.includes(keyword)) continue
    throw new DefinitionError(
      `${where}: forms know no "${keyword}"; check it in the handler or with .refine()`,
    )
  }
  if (type === 'string') checkFormat(kept['format'], where)
  return Object.freeze({ type, ...kept, ...told })
}

function shown({ title, description, default: value }: JsonObject): JsonObject {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
  }
}

/** What zod adds to every integer and to its formats says nothing to a form; a whole bound may be written inclusive. */
function bounded(json: JsonObject): JsonObject {
  const { pattern, exclusiveMinimum, exclusiveMaximum, ...kept } = json
  const known = stringFormats.has(String(kept['format']))
  const whole = kept['type'] === 'integer'
  const at = (bound: unknown, step: number, keyword: string, exclusive: string): JsonObject => {
    if (typeof bound !== 'number') return {}
    return whole && Number.isInteger(bound) ? { [keyword]: bound + step } : { [exclusive]: bound }
  }
  const { minimum, maximum, ...rest } = {
    ...kept,
    ...at(exclusiveMinimum, 1, 'minimum', 'exclusiveMinimum'),
    ...at(exclusiveMaximum, -1, 'maximum', 'exclusiveMaximum'),
  } as JsonObject
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(pattern !== undefined && !known && { pattern }),
  }
}

/** `enum`, or `oneOf` with titles, of a text to choose; undefined for any other schema. */
function choice(json: JsonObject): JsonObject | undefined {
  const { enum: values, enumNames, const: only, anyOf, oneOf } = json
  const options: unknown = anyOf ?? oneOf
  if (Array.isArray(options)) return titled(options)
  const texts: unknown = typeof only === 'string' ? [only] : values
  if (!Array.isArray(texts) || !texts.every((value) => typeof value === 'string')) return undefined
  const named = Array.isArray(enumNames) && enumNames.length === texts.length
  return named ? { enum: texts, enumNames } : { enum: texts }
}

function titled(options: readonly unknown[]): JsonObject | undefined {
  const choices = options.map((option) => (isJsonObject(option) ? option : {}))
  if (!choices.every(({ const: value }) => typeof value === 'string')) return undefined
  return { oneOf: choices.map(({ const: value, title = value }) => ({ const: value, title })) }
}

function list(json: JsonObject, where: string): JsonObject {
  const items = isJsonObject(json['items']) ? choice(json['items']) : undefined
  if (items === undefined) throw new DefinitionError(`${where}: a list in a form is one of choices`)
  const { oneOf, enum: values } = items
  return { ...json, items: oneOf === undefined ? { type: 'string', enum: values } : { anyOf: oneOf } }
}

function checkFormat(format: unknown, where: string): void {
  if (format === undefined || (typeof format === 'string' && stringFormats.has(format))) return
  throw new DefinitionError(`${where}: forms know no format ${JSON.stringify(format)}`)
}
