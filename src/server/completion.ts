import type { Completion } from '../contract/completion.js'
import { WireError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import type { ResultBody } from '../protocol/revision.js'
import type { Call } from './call.js'
import type { RunHandler } from './handler.js'
import type { BoundPrompt } from './prompts.js'
import type { BoundTemplate } from './resources.js'

const mostValues = 100

/** What can be completed: prompts by name, templates by their text. */
export interface Completable {
  readonly prompts: ReadonlyMap<string, BoundPrompt>
  readonly templates: ReadonlyMap<string, BoundTemplate>
}

/** The prompt or template a reference names, if there is one. */
export function referenced(
  { prompts, templates }: Completable,
  params: JsonObject,
): BoundPrompt | BoundTemplate | undefined {
  const ref = isJsonObject(params['ref']) ? params['ref'] : {}
  if (ref['type'] === 'ref/prompt') return prompts.get(ref['name'] as string)
  const { uri } = ref
  if (ref['type'] !== 'ref/resource' || typeof uri !== 'string') return undefined
  return (
    templates.get(uri) ??
    [...templates.values()].find((bound) => bound.definition.template.match(uri) !== undefined)
  )
}

/** Answers `completion/complete`; an argument nobody completes has no suggestions. */
export async function complete(completable: Completable, run: RunHandler, call: Call): Promise<ResultBody> {
  const { params } = call.envelope
  const bound = referenced(completable, params)
  if (bound === undefined) throw unknownReference()
  const { name, value } = isJsonObject(params['argument']) ? params['argument'] : {}
  if (typeof name !== 'string' || typeof value !== 'string') {
    throw new WireError('ERR_PARAMS', '`argument` must have a name and a value')
  }
  const names = argumentNames(bound)
  if (!names.includes(name)) throw new WireError('ERR_PARAMS', `Unknown argument: ${name.slice(0, 128)}`)
  const completer = bound.completers.get(name)
  if (completer === undefined) return completionBody([])
  call.chosen = chosenArguments(params['context'])
  const handler = (input: unknown) => completer(input as string, call)
  return completionBody((await run(handler, name, value, call)) as readonly string[] | Completion)
}

export function unknownReference(): WireError {
  return new WireError('ERR_TARGET', '`ref` names no prompt or resource template of this server')
}

function argumentNames({ definition }: BoundPrompt | BoundTemplate): readonly string[] {
  if (definition.kind === 'template') return definition.template.variables
  return definition.compiled?.list.map((argument) => argument.name) ?? []
}

function chosenArguments(context: unknown): Readonly<Record<string, string>> {
  if (context === undefined) return {}
  const chosen = isJsonObject(context) ? (context['arguments'] ?? {}) : undefined
  if (isJsonObject(chosen) && Object.values(chosen).every((value) => typeof value === 'string')) {
    return chosen as Readonly<Record<string, string>>
  }
  throw new WireError('ERR_PARAMS', '`context.arguments` must hold strings')
}

function completionBody(suggested: readonly string[] | Completion): ResultBody {
  const { values, total, hasMore } = isList(suggested)
    ? ({ values: suggested } satisfies Completion as Completion)
    : suggested
  if (!values.every((value) => typeof value === 'string')) throw new TypeError('A completer returns strings')
  const cut = values.length > mostValues
  const completion = {
    values: cut ? values.slice(0, mostValues) : values,
    total: total ?? (cut ? values.length : undefined),
    hasMore: cut ? true : hasMore,
  }
  return { members: `"completion":${JSON.stringify(completion)}` }
}

function isList(suggested: readonly string[] | Completion): suggested is readonly string[] {
  return Array.isArray(suggested)
}
