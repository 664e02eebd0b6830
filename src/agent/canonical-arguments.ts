import { safeParseAsync } from 'zod/v4/core'
import { isZod } from '../contract/schema/definition.js'
import type { ToolDefinition } from '../contract/tool.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { InvalidCallError } from './errors.js'
import { fieldIssues, type FieldIssue } from './field-issue.js'

/**
 * The JSON text of a call's arguments, written once and sent as it is on every round: validated, with defaults.
 *
 * Where a schema transforms what it parses, the parsed value is no longer what a server accepts; then the arguments
 * are sent as they were written. Throws `InvalidCallError`.
 */
export async function canonicalArguments(
  definition: ToolDefinition | undefined,
  input: unknown,
): Promise<string> {
  const written = jsonText(input)
  if (written === undefined || !isJsonObject(JSON.parse(written))) {
    throw new InvalidCallError([wrong('invalid_type', 'Arguments are a JSON object', 'object')])
  }
  if (definition === undefined) return written
  const parsed = jsonText(await parse(definition, JSON.parse(written)))
  return parsed !== undefined && (await parsesToItself(definition, parsed)) ? parsed : written
}

/** The arguments that a canonical text holds. */
export function argumentsOf(text: string): JsonObject {
  return JSON.parse(text) as JsonObject
}

async function parse(definition: ToolDefinition, value: unknown): Promise<unknown> {
  const { input, compiled } = definition
  if (input !== undefined && isZod(input)) {
    const result = await safeParseAsync(input, value)
    if (result.success) return result.data
    throw new InvalidCallError(fieldIssues(result.error.issues, value))
  }
  const parsed = await compiled.input.parse(value)
  if (parsed.ok) return parsed.value
  throw new InvalidCallError([wrong('schema', parsed.issues.slice(0, 500))])
}

async function parsesToItself(definition: ToolDefinition, text: string): Promise<boolean> {
  try {
    return jsonText(await parse(definition, JSON.parse(text))) === text
  } catch {
    return false
  }
}

/** JSON text that stays the same however often it is read and written; undefined for what JSON cannot say. */
function jsonText(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? undefined : JSON.stringify(JSON.parse(text))
  } catch {
    return undefined
  }
}

function wrong(constraint: string, message: string, expected?: string): FieldIssue {
  return { path: [], constraint, ...(expected !== undefined && { expected }), message }
}
