import { DefinitionError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { compileSchema, type CompiledSchema } from './compiled-schema.js'
import type { Schema } from './schema-definition.js'
import { resolved } from './schema-reference.js'

/** One argument of a prompt as it is listed (MCP 2026-07-28, prompts, "PromptArgument"). */
export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required?: true
}

/** The arguments of a prompt: the list to advertise and the parser of what a client sends. */
export interface PromptArguments {
  readonly list: readonly PromptArgument[]
  readonly parse: CompiledSchema['parse']
}

/**
 * Compiles the arguments of a prompt, a flat object whose every value accepts strings and nothing else.
 *
 * `z.object({ style: z.enum(['short', 'long']).describe('How long').optional() })` is listed as
 * `[{ name: 'style', description: 'How long' }]`. Throws `ERR_DEFINITION` with `where` and the path of a value that
 * is not a string (MCP 2026-07-28, prompts).
 */
export function promptArguments(schema: Schema, where: string): PromptArguments {
  const place = `${where}: arguments`
  const { json, parse } = compileSchema(schema, 'input', place)
  const root = resolved(json, json)
  const properties = root?.['properties']
  const extras =
    isJsonObject(root?.['additionalProperties']) && Object.keys(root['additionalProperties']).length > 0
  if (root?.['type'] !== 'object' || !isJsonObject(properties) || extras) {
    throw new DefinitionError(`${place}: the arguments of a prompt are one z.object()`)
  }
  const required = root['required']
  const list = Object.entries(properties).map(([name, property]) => {
    if (!admitsOnlyStrings(property, json)) {
      throw new DefinitionError(
        `${place}.properties.${name}: arguments of a prompt are strings; use z.string(), and .transform() for more`,
      )
    }
    return argument(name, property, Array.isArray(required) && required.includes(name), json)
  })
  return Object.freeze({ list: Object.freeze(list), parse })
}

function argument(name: string, property: unknown, required: boolean, root: JsonObject): PromptArgument {
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
