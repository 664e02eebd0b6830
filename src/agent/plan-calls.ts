import { randomUUID } from 'node:crypto'
import { isJsonObject } from '../protocol/json.js'
import { OutputContractError } from './errors.js'
import type { ToolRequest } from './tool-request.js'

/** A request that was accepted, with an id of its own. */
export interface ToolCall<Name extends string = string> extends ToolRequest<Name> {
  readonly id: string
  /** A call starts at 0; each later step of it counts one up. */
  readonly sequence: 0
}

export interface PlanOptions {
  /** How many calls one plan may hold. */
  readonly maxToolCalls?: number
}

/**
 * Accepts the calls of one turn, all or none. Throws `OutputContractError` when there are too many or one is not what
 * `toolRequest` makes; then the run ends without asking the model again.
 */
export function planCalls(
  requests: readonly ToolRequest[],
  { maxToolCalls = Infinity }: PlanOptions = {},
): readonly ToolCall[] {
  const isList: boolean = Array.isArray(requests)
  if (!isList) throw new OutputContractError('A plan is a list of tool requests')
  if (requests.length > maxToolCalls) {
    throw new OutputContractError(`The plan has ${requests.length} calls; ${maxToolCalls} are allowed`)
  }
  requests.forEach(check)
  const ids = requests.flatMap(({ providerCallId }) => providerCallId ?? [])
  if (new Set(ids).size < ids.length)
    throw new OutputContractError('Two calls of the plan have one provider id')
  return Object.freeze(
    requests.map((request) => Object.freeze({ ...request, id: randomUUID(), sequence: 0 })),
  )
}

function check(request: unknown, at: number): void {
  const refuse = (what: string) => new OutputContractError(`Call ${at + 1} of the plan ${what}`)
  if (!isJsonObject(request)) throw refuse('is not a tool request')
  const { tool, arguments: args, providerCallId } = request
  if (typeof tool !== 'string') throw refuse('names no tool')
  if (typeof args !== 'string' || !isCanonical(args)) throw refuse('has no canonical JSON arguments')
  if (providerCallId !== undefined && typeof providerCallId !== 'string')
    throw refuse('has a bad provider id')
}

function isCanonical(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && JSON.stringify(value) === text
  } catch {
    return false
  }
}
