import type { InputRequest, InputResponse } from '../client/input.js'
import { answerProblem } from '../client/schema/requested-schema.js'
import { isJsonObject } from '../protocol/json.js'
import { InvalidAnswersError } from './errors.js'
import type { FieldIssue } from './field-issue.js'

/** Answers by the server's keys, which may be any text. */
export type Answers = Readonly<Record<string, InputResponse>>

const actions = new Set<unknown>(['accept', 'decline', 'cancel'])

type Requests = Readonly<Record<string, InputRequest>>

/** Refuses answers that leave a question out, answer another one or do not fit. Rejects with `InvalidAnswersError`. */
export async function checkAllAnswers(requests: Requests, answers: Answers): Promise<void> {
  const missing = isJsonObject(answers)
    ? Object.keys(requests).filter((key) => !Object.hasOwn(answers, key))
    : Object.keys(requests)
  refuse([
    ...missing.map((key) => issue([key], 'required', 'The question has no answer')),
    ...(await answerIssues(requests, answers)),
  ])
}

/** Refuses answers to questions that were not asked, and those that do not fit. Rejects with `InvalidAnswersError`. */
export async function checkSomeAnswers(requests: Requests, answers: Answers): Promise<void> {
  refuse(await answerIssues(requests, answers))
}

function refuse(issues: readonly FieldIssue[]): void {
  if (issues.length > 0) throw new InvalidAnswersError(issues)
}

async function answerIssues(requests: Requests, answers: unknown): Promise<readonly FieldIssue[]> {
  if (!isJsonObject(answers)) return [issue([], 'invalid_type', 'Answers are an object', 'object')]
  const found: FieldIssue[] = []
  for (const [key, answer] of Object.entries(answers)) {
    const request = Object.hasOwn(requests, key) ? requests[key] : undefined
    if (request === undefined)
      found.push(issue([key], 'unrecognized_keys', 'Nothing was asked under this key'))
    else found.push(...(await oneAnswer(key, request, answer)))
  }
  return found
}

async function oneAnswer(
  key: string,
  { params }: InputRequest,
  answer: unknown,
): Promise<readonly FieldIssue[]> {
  if (!isJsonObject(answer)) return [issue([key], 'invalid_type', 'An answer is an object', 'object')]
  const { action, content } = answer
  if (!actions.has(action))
    return [issue([key, 'action'], 'invalid_value', 'Unknown action', [...actions].join(' | '))]
  const place = [key, 'content']
  if (action !== 'accept' || params.mode === 'url') {
    return content === undefined ? [] : [issue(place, 'unrecognized_keys', 'This answer carries no content')]
  }
  if (!isJsonObject(content)) return [issue(place, 'invalid_type', 'An accepted form has content', 'object')]
  const { requestedSchema } = params
  const properties = isJsonObject(requestedSchema['properties']) ? requestedSchema['properties'] : {}
  const unknown = Object.keys(content).filter((name) => !Object.hasOwn(properties, name))
  if (unknown.length > 0) {
    return unknown.map((name) => issue([...place, name], 'unrecognized_keys', 'The form has no such field'))
  }
  const problem = await answerProblem(requestedSchema, content)
  return problem === undefined ? [] : [issue(place, 'schema', problem)]
}

function issue(path: readonly string[], constraint: string, message: string, expected?: string): FieldIssue {
  return { path, constraint, ...(expected !== undefined && { expected }), message }
}
