import { DefinitionError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { compileSchema, type CompiledSchema } from './compiled-schema.js'
import type { Schema } from './definition.js'
import { resolved } from './reference.js'

/** One named string as it is listed (MCP 2026-07-28, prompts, "PromptArgument"). */
interface StringValue {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required?: true
}

/** Named strings, such as the arguments of a prompt or the values of a URL: their list and their parser. */
export interface StringValues {
  readonly list: readonly StringValue[]
  readonly parse: CompiledSchema['parse']
}

/**
 * Compiles a flat object whose every value accepts strings and nothing else.
 *
 * `z.object({ style: z.enum(['short', 'long']).describe('How long').optional() })` is listed as
 * `[{ name: 'style', description: 'How long' }]`. Throws `ERR_DEFINITION` with `place` and the path of a value that
 * is not a string.
 */
export function stringValues(schema: Schema, place: string): StringValues {
  const { json, parse } = compileSchema(schema, 'input', place)
  const root = resolved(json, json)
  const properties = root?.['properties']
  const extras =
    isJsonObject(root?.['additionalProperties']) && Object.keys(root['additionalProperties']).length > 0
  if (root?.['type'] !== 'object' || !isJsonObject(properties) || extras) {
    throw new DefinitionError(`${place}: these values are one z.object()`)
  }
  const required = root['required']
  const list = Object.entries(properties).map(([name, property]) => {
    if (!admitsOnlyStrings(property, json)) {
      throw new DefinitionError(
        `${place}.properties.${name}: values here are strings; use z.string(), and .transform() for more`,
      )
    }
    return argument(name, property, Array.isArray(required) && required.includes(name), json)
  })
  return Object.freeze({ list: Object.freeze(list), parse })
}

function argument(name: string, property: unknown, required: boolean, root: JsonObject): StringValue {
  const { title, description } = resolved(property, root) ?? {}
  return Object.freeze({
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(required && { required }),
  })
}

function admitsOnlyStrings(schema: unknown, root: JsonObject, depth = 0): boolean {
  const json = resolved(schema, root)
  if (json === undefined || depth > 16) return false
  if (json['type'] === 'string' || typeof json['const'] === 'string') return true
  const values = json['enum']
  if (Array.isArray(values)) return values.every((value) => typeof value === 'string')
  const every = (members: unknown) =>
    Array.isArray(members) && members.every((member) => admitsOnlyStrings(member, root, depth + 1))
  return every(json['anyOf']) || every(json['oneOf'])
}
