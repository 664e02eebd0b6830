import type { Form } from '../contract/input/form.js'
import type { UrlConsent } from '../contract/input/url-consent.js'
import type { TaskToolDefinition } from '../contract/task-tool.js'
import { ToolError, WireError } from '../errors.js'
import type { InputRequest } from '../client/input.js'
import type { JsonObject } from '../protocol/json.js'
import { readAnswers } from '../server/input/answer.js'
import { declares, neededFor, question } from '../server/input/question.js'
import { askedTwice, heard, keyOf } from '../server/input/questions.js'
import { sameJson } from './same-json.js'
import type { TaskRun } from './task-run.js'
import type { Question } from './task-state.js'

/** Keys that are tried for one question: after wrong answers, and where an earlier run asked something else. */
const mostKeys = 16

/** What the handler of a task has as `input`; undefined when the definition declares none. */
export function taskInput({ inputs }: TaskToolDefinition, run: TaskRun): unknown {
  if (inputs === undefined) return undefined
  const declared = Object.entries<Form | UrlConsent>(inputs)
  const used = new Set<string>()
  const asks = declared.map(([name, declaration]): [string, unknown] => [
    name,
    (asked: JsonObject) => heard(ask(run, used, name, declaration, asked)),
  ])
  const can = declared.map(([name, declaration]): [string, boolean] => [
    name,
    declares(run.task.capabilities, neededFor(declaration)),
  ])
  return Object.freeze({ ...Object.fromEntries(asks), can: Object.freeze(Object.fromEntries(can)) })
}

/** Asks until there is an answer that is one; what an earlier run was answered to the same question is given at once. */
async function ask(
  run: TaskRun,
  used: Set<string>,
  name: string,
  declaration: Form | UrlConsent,
  asked: JsonObject,
): Promise<unknown> {
  const { request, needs } = question(declaration, asked)
  if (!declares(run.task.capabilities, needs)) {
    throw new WireError('ERR_CAPABILITY', 'The client cannot be asked this', { requiredCapabilities: needs })
  }
  const first = keyOf(name, asked)
  for (let attempt = 1; attempt <= mostKeys; attempt++) {
    const key = attempt === 1 ? first : `${first}${first === name ? ':' : '.'}again-${attempt}`
    if (used.has(key)) throw askedTwice(key)
    used.add(key)
    await run.save({ do: 'ask', run: run.id, key, request: request as unknown as InputRequest })
    if (await isAnother(run, key, request)) continue
    const { typed } = await readAnswers({ [name]: declaration }, { [name]: await answerTo(run, key) })
    if (typed.has(name)) return typed.get(name)
  }
  throw new ToolError('No valid answer was given')
}

/** Whether an earlier run asked something else under the key: then nobody waits for that any more. */
async function isAnother(run: TaskRun, key: string, request: unknown): Promise<boolean> {
  const kept = questionOf(run, key)
  if (kept === undefined || (kept.withdrawn !== true && sameJson(kept.request, request))) return false
  await run.save({ do: 'withdraw', run: run.id, key })
  return true
}

async function answerTo(run: TaskRun, key: string): Promise<JsonObject> {
  for (;;) {
    run.signal.throwIfAborted()
    const answer = questionOf(run, key)?.answer
    if (answer !== undefined) return answer
    await run.change()
  }
}

function questionOf({ state }: TaskRun, key: string): Question | undefined {
  return state.phase === 'open' && Object.hasOwn(state.questions, key) ? state.questions[key] : undefined
}
