import type { InputRequest } from '../client/input.js'
import type { JsonObject } from '../protocol/json.js'

/** A question of a task; its key is never used for another one. */
export interface Question {
  readonly request: InputRequest
  readonly answer?: JsonObject | undefined
  /** Whether nobody waits for an answer any more. */
  readonly withdrawn?: true | undefined
}

/** A JSON-RPC error. */
export interface TaskFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Work that has not ended: which run does it, how often it was begun, what it told and asked. */
interface OpenState {
  readonly phase: 'open'
  readonly runs: number
  readonly run?: string | undefined
  readonly message?: string | undefined
  readonly questions: Readonly<Record<string, Question>>
}

/** The state of a task; all but the open one are final. */
export type TaskState =
  | OpenState
  | { readonly phase: 'completed'; readonly result: JsonObject }
  | { readonly phase: 'failed'; readonly error: TaskFailure }
  | { readonly phase: 'cancelled' }

/** What happens to a task. What a run does counts only while no later run has begun. */
export type TaskOperation =
  | { readonly do: 'begin'; readonly run: string }
  | { readonly do: 'tell'; readonly run: string; readonly message: string }
  | { readonly do: 'ask'; readonly run: string; readonly key: string; readonly request: InputRequest }
  | { readonly do: 'withdraw'; readonly run: string; readonly key: string }
  | { readonly do: 'answer'; readonly answers: Readonly<Record<string, JsonObject>> }
  | { readonly do: 'complete'; readonly run: string; readonly result: JsonObject }
  | { readonly do: 'fail'; readonly run: string; readonly error: TaskFailure }
  | { readonly do: 'cancel' }

export const newState: TaskState = Object.freeze({ phase: 'open', runs: 0, questions: Object.freeze({}) })

/**
 * The state after an operation: the very same one when the operation changes nothing, as all do on a final state (MCP
 * extension tasks, lifecycle).
 */
export function after(state: TaskState, operation: TaskOperation): TaskState {
  if (state.phase !== 'open') return state
  if ('run' in operation && operation.do !== 'begin' && operation.run !== state.run) return state
  switch (operation.do) {
    case 'begin':
      return operation.run === state.run ? state : { ...state, run: operation.run, runs: state.runs + 1 }
    case 'tell':
      return operation.message === state.message ? state : { ...state, message: operation.message }
    case 'ask':
      return asked(state, operation.key, { request: operation.request })
    case 'withdraw':
      return withdrawn(state, operation.key)
    case 'answer':
      return answered(state, operation.answers)
    case 'complete':
      return { phase: 'completed', result: operation.result }
    case 'fail':
      return { phase: 'failed', error: operation.error }
    case 'cancel':
      return { phase: 'cancelled' }
  }
}

function asked(state: OpenState, key: string, question: Question): OpenState {
  if (Object.hasOwn(state.questions, key)) return state
  return { ...state, questions: { ...state.questions, [key]: question } }
}

function withdrawn(state: OpenState, key: string): OpenState {
  const question = Object.hasOwn(state.questions, key) ? state.questions[key] : undefined
  if (question === undefined || question.withdrawn === true) return state
  return { ...state, questions: { ...state.questions, [key]: { ...question, withdrawn: true } } }
}

/** Answers to what nobody asks, or was answered before, are ignored. */
function answered(state: OpenState, answers: Readonly<Record<string, JsonObject>>): OpenState {
  const open = openQuestions(state)
  const taken = Object.entries(answers).flatMap(([key, answer]): [string, Question][] => {
    const question = Object.hasOwn(open, key) ? open[key] : undefined
    return question === undefined ? [] : [[key, { ...question, answer }]]
  })
  if (taken.length === 0) return state
  return { ...state, questions: { ...state.questions, ...Object.fromEntries(taken) } }
}

/** The questions that wait for an answer. */
export function openQuestions(state: TaskState): Readonly<Record<string, Question>> {
  if (state.phase !== 'open') return {}
  return Object.fromEntries(
    Object.entries(state.questions).filter(
      ([, { answer, withdrawn }]) => answer === undefined && withdrawn !== true,
    ),
  )
}
