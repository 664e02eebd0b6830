import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { FormValue } from '../input.js'
import { formatProblem, formats } from './form-formats.js'
import { schemaValidator } from './schema-validator.js'

const scalars = new Set(['string', 'number', 'integer', 'boolean'])

/** Why a schema is no form, or undefined: an object of strings, numbers, booleans and lists of strings (EL-5). */
export function requestedSchemaProblem(schema: unknown): string | undefined {
  if (!isJsonObject(schema) || schema['type'] !== 'object' || !isJsonObject(schema['properties'])) {
    return '`requestedSchema` must describe an object with `properties`'
  }
  for (const [name, property] of Object.entries(schema['properties'])) {
    if (!isJsonObject(property) || !isField(property)) {
      return `field ${JSON.stringify(name)} must be a string, a number, a boolean or a list of strings`
    }
  }
  return undefined
}

function isField(property: JsonObject): boolean {
  if (scalars.has(String(property['type']))) return true
  const items = property['items']
  return property['type'] === 'array' && isJsonObject(items) && items['type'] !== 'object'
}

/** An answer with the defaults of the form where it says nothing (EL-6). */
export function withDefaults(
  schema: JsonObject,
  content: Readonly<Record<string, FormValue>>,
): Readonly<Record<string, FormValue>> {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>)
  const defaults: [string, FormValue][] = []
  for (const [name, { default: value }] of fields) {
    if (value !== undefined && !Object.hasOwn(content, name)) defaults.push([name, value as FormValue])
  }
  return { ...Object.fromEntries(defaults), ...content }
}

/** What is wrong with an answer to a form, or undefined. */
export async function answerProblem(
  schema: JsonObject,
  content: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const validate = await schemaValidator(schema)
  if (typeof validate !== 'function') return `the form cannot be judged: ${validate.problem}`
  for (const [name, value] of Object.entries(content)) {
    if (!isFormValue(value)) return `${name}: a value is a string, a number, a boolean or a list of strings`
    const property = (schema['properties'] as Record<string, JsonObject>)[name]
    const format = property?.['format']
    if (typeof value === 'string' && typeof format === 'string' && formats.has(format)) {
      const problem = formatProblem(format, value)
      if (problem !== undefined) return `${name}: ${problem}`
    }
  }
  const [issue] = validate(content)
  return issue && `${issue.path || 'the form'} ${issue.message}`
}

function isFormValue(value: unknown): value is FormValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string')
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}
