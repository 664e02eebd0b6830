import type { InputDeclaration, Inputs } from '../../contract/input/inputs.js'
import { WireError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'

/** Answers that fit their questions: typed for the handler, and as they were sent. */
export interface Answers {
  readonly typed: ReadonlyMap<string, unknown>
  readonly sent: JsonObject
}

/** `confirm`, or `confirm:second` where one input is asked more than once. */
export const keySyntax = /^([A-Za-z_]\w{0,63})(?::[\w.-]{1,64})?$/

/**
 * Reads answers by their keys. Unknown keys are left out, and so is what does not fit its form, which is then asked
 * again; what is no answer at all throws `ERR_PARAMS` (MCP 2026-07-28, "Multi Round-Trip Requests", MR-17).
 */
export async function readAnswers(declared: Inputs, responses: JsonObject): Promise<Answers> {
  const typed = new Map<string, unknown>()
  const sent: [string, unknown][] = []
  for (const [key, response] of Object.entries(responses)) {
    const [, name = ''] = keySyntax.exec(key) ?? []
    const declaration = Object.hasOwn(declared, name) ? declared[name] : undefined
    if (declaration === undefined) continue
    const answer = await readAnswer(declaration, response, key)
    if (answer === undefined) continue
    typed.set(key, answer)
    sent.push([key, response])
  }
  return { typed, sent: Object.fromEntries(sent) }
}

async function readAnswer(declaration: InputDeclaration, response: unknown, key: string): Promise<unknown> {
  if (!isJsonObject(response)) throw malformed(key)
  if (declaration.kind === 'sampling') return sampled(response, key)
  if (declaration.kind === 'roots') return rootsOf(response, key)
  const { action, content } = response
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') throw malformed(key)
  if (declaration.kind === 'url' || action !== 'accept') return Object.freeze({ action })
  if (content === undefined) return undefined
  if (!isJsonObject(content)) throw malformed(key)
  const parsed = await declaration.parse(content)
  return parsed.ok ? Object.freeze({ action, content: parsed.value }) : undefined
}

function sampled(response: JsonObject, key: string): JsonObject {
  const { role, content, model, stopReason } = response
  const blocks: unknown = Array.isArray(content) ? content : [content]
  const valid =
    (role === 'user' || role === 'assistant') &&
    typeof model === 'string' &&
    (stopReason === undefined || typeof stopReason === 'string') &&
    (blocks as unknown[]).every((block) => isJsonObject(block) && typeof block['type'] === 'string')
  if (valid) return response
  throw malformed(key)
}

function rootsOf({ roots }: JsonObject, key: string): readonly JsonObject[] {
  const isRoot = (root: unknown): root is JsonObject =>
    isJsonObject(root) &&
    typeof root['uri'] === 'string' &&
    root['uri'].startsWith('file://') &&
    (root['name'] === undefined || typeof root['name'] === 'string')
  if (Array.isArray(roots) && roots.every(isRoot)) return roots
  throw malformed(key)
}

function malformed(key: string): WireError {
  return new WireError('ERR_PARAMS', `\`inputResponses.${key}\` is not an answer to what was asked`)
}
