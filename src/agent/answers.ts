import type { InputRequest, InputResponse } from '../client/input.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { InvalidAnswersError } from './errors.js'
import type { FieldIssue } from './field-issue.js'
import { misfit } from './form-value.js'

/** Answers by the server's keys, which may be any text. */
export type Answers = Readonly<Record<string, InputResponse>>

type Requests = Readonly<Record<string, InputRequest>>

/** Refuses answers that leave a question out, answer another one or do not fit. Throws `InvalidAnswersError`. */
export function checkAllAnswers(requests: Requests, answers: Answers): void {
  const missing = isJsonObject(answers)
    ? Object.keys(requests).filter((key) => !Object.hasOwn(answers, key))
    : Object.keys(requests)
  refuse([
    ...missing.map((key) => issue([key], 'required', 'The question has no answer')),
    ...answerIssues(requests, answers),
  ])
}

/** Refuses answers to questions that were not asked, and those that do not fit. Throws `InvalidAnswersError`. */
export function checkSomeAnswers(requests: Requests, answers: Answers): void {
  refuse(answerIssues(requests, answers))
}

function refuse(issues: readonly FieldIssue[]): void {
  if (issues.length > 0) throw new InvalidAnswersError(issues)
}

function answerIssues(requests: Requests, answers: unknown): readonly FieldIssue[] {
  if (!isJsonObject(answers)) return [issue([], 'invalid_type', 'Answers are an object', 'object')]
  return Object.entries(answers).flatMap(([key, answer]) => {
    const request = Object.hasOwn(requests, key) ? requests[key] : undefined
    if (request === undefined) return [issue([key], 'unrecognized_keys', 'Nothing was asked under this key')]
    return oneAnswer(request, answer).map(({ path, ...rest }) => ({ ...rest, path: [key, ...path] }))
  })
}

function oneAnswer({ params }: InputRequest, answer: unknown): readonly FieldIssue[] {
  if (!isJsonObject(answer)) return [issue([], 'invalid_type', 'An answer is an object', 'object')]
  const { action, content } = answer
  if (!['accept', 'decline', 'cancel'].includes(String(action))) {
    return [
      issue(
        ['action'],
        'invalid_value',
        'An answer accepts, declines or cancels',
        'accept | decline | cancel',
      ),
    ]
  }
  if (action !== 'accept' || params.mode === 'url') {
    return content === undefined
      ? []
      : [issue(['content'], 'unrecognized_keys', 'This answer carries no content')]
  }
  return formIssues(params.requestedSchema, content).map(({ path, ...rest }) => ({
    ...rest,
    path: ['content', ...path],
  }))
}

function formIssues(schema: JsonObject, content: unknown): readonly FieldIssue[] {
  if (!isJsonObject(content)) return [issue([], 'invalid_type', 'An accepted form has content', 'object')]
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const missing = required.filter((name) => !Object.hasOwn(content, String(name)))
  const wrong = Object.entries(content).flatMap(([name, value]) => {
    if (!Object.hasOwn(properties, name))
      return [issue([name], 'unrecognized_keys', 'The form has no such field')]
    const expected = misfit(value, properties[name])
    return expected === undefined ? [] : [issue([name], 'invalid_value', `Expected ${expected}`, expected)]
  })
  return [...missing.map((name) => issue([String(name)], 'required', 'The field is missing')), ...wrong]
}

function issue(path: readonly string[], constraint: string, message: string, expected?: string): FieldIssue {
  return { path, constraint, ...(expected !== undefined && { expected }), message }
}
