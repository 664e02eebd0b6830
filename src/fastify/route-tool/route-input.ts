import { jsonSchema, type JsonSchema } from '../../contract/schema/json-schema.js'
import { DefinitionError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { RoutePath } from './route-path.js'
import type { QuerySyntax } from './query-syntax.js'
import type { RouteSchemas } from './route-schemas.js'

export type Part = 'params' | 'querystring' | 'body'

/** Other names for what two parts of a route call the same: `{ body: { id: 'newId' } }`. */
export type ArgumentNames = Readonly<Partial<Record<Part, Readonly<Record<string, string>>>>>

/** One argument of the tool and what becomes of it. */
export interface Argument {
  readonly part: Part
  /** What the route calls it; undefined for the whole body. */
  readonly key: string | undefined
  readonly name: string
  readonly schema: unknown
  readonly required: boolean
}

export interface InputSource {
  readonly path: RoutePath
  readonly schemas: RouteSchemas
  readonly syntax: QuerySyntax
  readonly names: ArgumentNames
}

/** The arguments of the tool of a route. Throws `ERR_DEFINITION` for two of one name and a query nobody can write. */
export function routeArguments(where: string, source: InputSource): readonly Argument[] {
  const found = [...pathArguments(source), ...queryArguments(where, source), ...bodyArguments(source)]
  for (const [part, renamed] of Object.entries(source.names)) {
    const unknown = Object.keys(renamed).find(
      (key) => !found.some((argument) => argument.part === part && argument.key === key),
    )
    if (unknown !== undefined) {
      throw new DefinitionError(`${where}: \`names\`: ${part} has no ${unknown}`, 'ERR_OPTION')
    }
  }
  const seen = new Set<string>()
  for (const { name, part } of found) {
    if (name === '__proto__') throw new DefinitionError(`${where}: an argument cannot be called __proto__`)
    if (seen.has(name)) {
      throw new DefinitionError(
        `${where}: ${part} has a second ${name}; give it another name, as in names: { ${part}: { ${name}: '…' } }`,
      )
    }
    seen.add(name)
  }
  return found
}

/** The one flat object that is advertised, and the parser that keeps to its names; the route judges the values. */
export function routeInput(
  found: readonly Argument[],
  schemas: RouteSchemas,
): JsonSchema<Readonly<Record<string, unknown>>> {
  const required = found.filter((argument) => argument.required).map(({ name }) => name)
  const json = {
    type: 'object',
    properties: Object.fromEntries(found.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
  const known = new Set(found.map(({ name }) => name))
  return jsonSchema(schemas.complete(json), (value) => {
    if (!isJsonObject(value)) return { issues: 'must be an object' }
    const unknown = Object.keys(value).find((name) => !known.has(name))
    if (unknown !== undefined) return { issues: `${unknown.slice(0, 128)}: is no argument of this tool` }
    const missing = required.find((name) => !Object.hasOwn(value, name))
    return missing === undefined ? { value } : { issues: `${missing}: is missing` }
  })
}

function pathArguments({ path, schemas, names }: InputSource): readonly Argument[] {
  const properties = propertiesOf(schemas.part('params'))
  return path.names.map((key) => ({
    part: 'params',
    key,
    name: renamed(names.params, key),
    schema: properties.get(key) ?? { type: 'string' },
    required: true,
  }))
}

function queryArguments(where: string, { schemas, syntax, names }: InputSource): readonly Argument[] {
  const schema = schemas.part('querystring')
  if (schema === undefined) return []
  if (!isPlain(schema)) {
    throw new DefinitionError(`${where}: the querystring must be an object with named properties`)
  }
  const found = membersOf(schema, 'querystring', names.querystring)
  for (const { key = '', schema: member } of found) {
    if (!isWritable(schemas.resolve(member), syntax, schemas)) {
      throw new DefinitionError(
        `${where}: querystring: ${key} is nested more deeply than the app's querystring parser reads`,
      )
    }
  }
  return found
}

/** A body of named members is spread; any other is one argument. */
function bodyArguments({ schemas, names }: InputSource): readonly Argument[] {
  const schema = schemas.part('body')
  if (schema === undefined) return []
  const isOpen = schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== false
  if (isPlain(schema) && !isOpen) return membersOf(schema, 'body', names.body)
  return [{ part: 'body', key: undefined, name: 'body', schema, required: true }]
}

function membersOf(schema: JsonObject, part: Part, names: ArgumentNames[Part]): readonly Argument[] {
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [])
  return Array.from(propertiesOf(schema), ([key, member]) => ({
    part,
    key,
    name: renamed(names, key),
    schema: member,
    required: required.has(key),
  }))
}

function propertiesOf(schema: JsonObject | undefined): ReadonlyMap<string, unknown> {
  const properties = schema?.['properties']
  return new Map(isJsonObject(properties) ? Object.entries(properties) : [])
}

function renamed(names: Readonly<Record<string, string>> | undefined, key: string): string {
  return names !== undefined && Object.hasOwn(names, key) ? (names[key] ?? key) : key
}

const conditions = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'propertyNames']
const dependencies = ['dependentRequired', 'dependentSchemas', 'minProperties', 'maxProperties']

/** Whether a schema says no more than which named members an object has. */
function isPlain(schema: JsonObject): boolean {
  const { type = 'object', properties } = schema
  return (
    type === 'object' &&
    isJsonObject(properties) &&
    ![...conditions, ...dependencies].some((key) => key in schema)
  )
}

function isWritable(schema: JsonObject | undefined, syntax: QuerySyntax, schemas: RouteSchemas): boolean {
  const types = [schema?.['type']].flat()
  if (types.includes('object')) return syntax.member !== undefined
  if (!types.includes('array')) return true
  const inner = [schemas.resolve(schema?.['items'])?.['type']].flat()
  return syntax.list !== undefined && !inner.includes('object') && !inner.includes('array')
}
