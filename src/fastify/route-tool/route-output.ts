import { checkedSchema } from '../../contract/schema/check.js'
import { jsonSchema, type JsonSchema } from '../../contract/schema/json-schema.js'
import { DefinitionError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { routeSchemas } from './route-schemas.js'

/** What a route says of its good answers. */
interface Answers {
  /** The schema of the one JSON answer; undefined when there is none, or more than one kind. */
  readonly schema: unknown
  readonly mediaTypes: readonly string[]
}

/** Refuses a route of which it is known that its answers cannot be told to a model. Throws `ERR_DEFINITION`. */
export function declaredAnswer(where: string, schema: object): unknown {
  const answers = goodAnswers(schema)
  if (answers.mediaTypes.length > 0 && !answers.mediaTypes.some(isReadable)) {
    throw new DefinitionError(
      `${where}: it answers ${answers.mediaTypes.join(', ')}; only JSON and text can be the answer of a tool`,
    )
  }
  return answers.schema
}

/** Whether a media type is one a tool can answer with: JSON or text that ends. */
export function isReadable(mediaType: string): boolean {
  return isJson(mediaType) || (/^text\/|[/+]xml$/.test(mediaType) && mediaType !== 'text/event-stream')
}

export function isJson(mediaType: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json$/.test(mediaType)
}

/**
 * The output schema of the tool, if the declared answer is an object that JSON Schema 2020-12 can tell; a tool
 * without one answers with the JSON as text. What the route answers is checked against it.
 */
export async function routeOutput(
  where: string,
  answer: unknown,
  shared: Readonly<Record<string, unknown>>,
): Promise<JsonSchema<JsonObject> | undefined> {
  const json = answer === undefined ? undefined : advertised(where, answer, shared)
  if (json === undefined) return undefined
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true, logger: false })
  const check = ajv.compile<JsonObject>(json)
  return jsonSchema<JsonObject>(json, (value) =>
    check(value) ? { value } : { issues: ajv.errorsText(check.errors, { dataVar: 'the answer' }) },
  )
}

function advertised(
  where: string,
  answer: unknown,
  shared: Readonly<Record<string, unknown>>,
): JsonObject | undefined {
  try {
    const schemas = routeSchemas(where, { response: answer }, shared, 'output')
    const schema = schemas.part('response')
    if (schema?.['type'] !== 'object') return undefined
    return checkedSchema(schemas.complete(schema), where)
  } catch (error) {
    if (error instanceof DefinitionError) return undefined
    throw error
  }
}

function goodAnswers(schema: object): Answers {
  const { response, produces } = schema as { readonly response?: unknown; readonly produces?: unknown }
  const listed = Array.isArray(produces) ? produces.map(String) : []
  const good = Object.entries(isJsonObject(response) ? response : {})
    .filter(([status]) => status.startsWith('2'))
    .map(([, answer]) => kindsOf(answer, listed))
  const [first, ...others] = good
  return {
    schema: others.length === 0 ? first?.find(({ type }) => isJson(type))?.schema : undefined,
    mediaTypes: first === undefined ? listed : good.flat().map(({ type }) => type),
  }
}

/** An answer by media type, as OpenAPI 3 describes one, or of the media types the route names for all. */
function kindsOf(answer: unknown, listed: readonly string[]): readonly { type: string; schema: unknown }[] {
  const content = isJsonObject(answer) ? answer['content'] : undefined
  if (!isJsonObject(content)) {
    return (listed.length > 0 ? listed : ['application/json']).map((type) => ({ type, schema: answer }))
  }
  return Object.entries(content).map(([type, kind]) => ({
    type,
    schema: isJsonObject(kind) ? kind['schema'] : undefined,
  }))
}
