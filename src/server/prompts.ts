import { presented } from '../contract/presentation.js'
import { user, type PromptDefinition, type PromptMessage, type PromptReturn } from '../contract/prompt.js'
import { DefinitionError, WireError } from '../errors.js'
import type { ScopeAlternatives } from '../oauth/scope.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import type { ResultBody } from '../protocol/revision.js'
import type { Call } from './call.js'
import type { Bound } from './handle.js'
import type { HandlerSteps } from './handler.js'
import { InputRequired } from './input/input-exchange.js'
import type { ListEntry } from './listing.js'
import { checkRoute } from './route.js'

export type BoundPrompt = Bound<PromptDefinition>

/** A static prompt answers with its own messages. Throws `ERR_DEFINITION` for a prompt with neither. */
export function servePrompt(prompt: PromptDefinition | BoundPrompt): BoundPrompt {
  if (!('kind' in prompt)) return prompt
  const { messages } = prompt
  if (messages === undefined) {
    throw new DefinitionError(`prompt ${JSON.stringify(prompt.name)} has neither messages nor a handler`)
  }
  return { definition: prompt, handler: () => messages, completers: new Map() }
}

/** A prompt as `prompts/list` shows it. */
export function promptEntry({ definition }: BoundPrompt, scopes: ScopeAlternatives | undefined): ListEntry {
  const { name, presentation, compiled } = definition
  const { _meta, ...shown } = presented(presentation)
  const json = JSON.stringify({ name, ...shown, arguments: compiled?.list, _meta })
  return { key: name, scopes, json: () => json }
}

/** Answers `prompts/get`; arguments are checked before the handler runs. */
export async function getPrompt(
  prompts: ReadonlyMap<string, BoundPrompt>,
  { beginInput, run }: HandlerSteps,
  call: Call,
): Promise<ResultBody> {
  const { name, arguments: given = {} } = call.envelope.params
  const prompt = typeof name === 'string' ? prompts.get(name) : undefined
  if (prompt === undefined) throw unknownPrompt(call.envelope.params)
  if (!isJsonObject(given)) throw new WireError('ERR_PARAMS', '`arguments` must be an object')
  await checkRoute(call, prompt.definition.routeValues)
  const { inputs } = prompt.definition
  if (inputs !== undefined) await beginInput(call, { inputs, name: prompt.definition.name, args: given })
  const parsed = (await prompt.definition.compiled?.parse(given)) ?? { ok: true as const, value: {} }
  if (!parsed.ok) throw new WireError('ERR_PARAMS', `Invalid arguments: ${parsed.issues}`)
  const returned = await run(prompt.handler, prompt.definition.name, parsed.value, call)
  if (returned instanceof InputRequired) return returned.body
  return { members: promptMembers(returned as PromptReturn, prompt.definition) }
}

export function unknownPrompt({ name }: JsonObject): WireError {
  if (typeof name !== 'string') return new WireError('ERR_PARAMS', '`name` must be a string')
  return new WireError('ERR_TARGET', `Unknown prompt: ${name.slice(0, 128)}`)
}

function promptMembers(returned: PromptReturn, { name, presentation }: PromptDefinition): string {
  const { description = presentation.description, messages } = described(returned)
  for (const message of messages as readonly unknown[]) {
    if (isJsonObject(message) && isJsonObject(message['content'])) continue
    throw new TypeError(`The handler of prompt ${name} returned something that is not a message`)
  }
  return JSON.stringify({ description, messages }).slice(1, -1)
}

function described(returned: PromptReturn): { description?: string; messages: readonly PromptMessage[] } {
  if (typeof returned === 'string') return { messages: [user(returned)] }
  if (Array.isArray(returned)) return { messages: returned as readonly PromptMessage[] }
  return 'messages' in returned ? returned : { messages: [returned as PromptMessage] }
}
