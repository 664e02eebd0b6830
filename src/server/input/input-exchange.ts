import type { Inputs } from '../../contract/input/inputs.js'
import { ToolError, WireError } from '../../errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { ResultBody } from '../../protocol/revision.js'
import type { Call } from '../call.js'
import { readAnswers } from './answer.js'
import { bindingOf } from './binding.js'
import { declares, type Question } from './question.js'
import { Questions, type Unanswered } from './questions.js'
import { stateSeal, type Carried, type InputStateOptions } from './state-seal.js'

/** How often one call may ask. */
const mostRounds = 16

/** How a call ends that has to ask first. */
export class InputRequired {
  readonly body: ResultBody

  constructor(body: ResultBody) {
    this.body = body
  }
}

/** What is asked for: its declared inputs, its name or URI, and the arguments as they were sent. */
interface Target {
  readonly inputs: Inputs | undefined
  readonly name: string
  readonly args: JsonObject
}

/**
 * Prepares a call for the questions of its handler: checks the state and reads the answers it brings. Throws
 * `ERR_PARAMS` (MCP 2026-07-28, "Multi Round-Trip Requests").
 */
export type BeginInput = (call: Call, target: Target) => Promise<void>

/** Makes the input exchange of the server of that name. Throws `ERR_OPTION`. */
export function inputExchange(server: string, options: InputStateOptions = {}): BeginInput {
  const seal = stateSeal(options)
  return async (call, { inputs, name, args }) => {
    if (inputs === undefined) return
    const { params, capabilities } = call.envelope
    const binding = bindingOf(server, call, name, args)
    const asks = call.revision.asks
    const { requestState } = asks ? params : {}
    const carried = (requestState ?? null) === null ? undefined : await seal.open(requestState, binding)
    const earlier = carried?.answers ?? {}
    const given = asks ? responsesOf(params['inputResponses']) : {}
    const { typed, sent } = await readAnswers(inputs, { ...given, ...earlier })
    const end = async ({ questions, value }: Unanswered) => {
      if (!asks) throw unaskable(call)
      checkCapabilities(capabilities, questions.values())
      const next: Carried = { round: (carried?.round ?? 0) + 1, answers: sent, value }
      if (next.round > mostRounds) throw new WireError('ERR_PARAMS', `More than ${mostRounds} rounds`)
      return new InputRequired(unfinished(questions, await seal.seal(next, binding)))
    }
    const value = carried?.value
    call.questions = new Questions({ declared: inputs, capabilities, answers: typed, value, end })
  }
}

function responsesOf(responses: unknown): JsonObject {
  if (responses === undefined || responses === null) return {}
  if (isJsonObject(responses)) return responses
  throw new WireError('ERR_PARAMS', '`inputResponses` must be an object')
}

function unfinished(questions: ReadonlyMap<string, Question>, requestState: string): ResultBody {
  const inputRequests = Object.fromEntries(Array.from(questions, ([key, { request }]) => [key, request]))
  return {
    resultType: 'input_required',
    members: JSON.stringify({ inputRequests, requestState }).slice(1, -1),
  }
}

/** Older clients cannot be asked without a session: a tool says so to the model (LEG-32). */
function unaskable({ envelope }: Call): Error {
  const message = 'This has to ask the user, which takes a client that speaks MCP 2026-07-28 or newer'
  return envelope.method === 'tools/call' ? new ToolError(message) : new WireError('ERR_INTERNAL', message)
}

/** Throws `ERR_CAPABILITY` with everything this round lacks (MR-12). */
function checkCapabilities(capabilities: JsonObject, questions: Iterable<Question>): void {
  const lacking = Array.from(questions, ({ needs }) => needs).filter(
    (needs) => !declares(capabilities, needs),
  )
  if (lacking.length === 0) return
  const requiredCapabilities: Record<string, object> = {}
  for (const [name, modes] of lacking.flatMap((needs) => Object.entries(needs))) {
    requiredCapabilities[name] = { ...requiredCapabilities[name], ...(modes as object) }
  }
  const names = Object.keys(requiredCapabilities).join(', ')
  throw new WireError('ERR_CAPABILITY', `The client must declare ${names} to be asked`, {
    requiredCapabilities,
  })
}
