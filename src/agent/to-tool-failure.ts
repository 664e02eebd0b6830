import {
  ConnectionLostError,
  HttpResponseError,
  InternalClientError,
  InvalidArgumentsError,
  MalformedResponseError,
  OutcomeUnknownError,
  RpcError,
  SubscriptionCancelledError,
  ToolExecutionError,
} from '../client/errors.js'
import { endedByAbort, endedByDeadline, endedByNetwork, isA, memberOf } from './cause-chain.js'
import { keptBack } from '../transports/kept-back.js'
import { InvalidCallError } from './errors.js'
import type { FieldIssue } from './field-issue.js'
import { ended, failure, finish, replan, type ToolFailure } from './failure.js'
import { blocksForModel } from './model-content.js'

const maximumText = 10_000

const texts = {
  timeout: 'The time for this call was over before it was sent',
  lostInTime: 'The time for this call was over; the tool may have run',
  lost: 'The answer was lost; the tool may have run',
  unavailable: 'The tool cannot be reached',
  stopped: 'The call was stopped',
  malformed: 'The tool answered in a way that cannot be read',
  internal: 'The call failed inside the system',
} as const

/** Tells any thrown value as a failure. Total: it never throws, and what it does not know ends the run as internal. */
export function toToolFailure(error: unknown): ToolFailure {
  try {
    return ofCaller(error) ?? ofElse(error)
  } catch {
    return failure('internal', texts.internal, finish, error)
  }
}

/** A failed task: its creator is never run again and nothing about it can be corrected. */
export function taskFailure(code: number, message: string, data?: unknown): ToolFailure {
  return ended(toToolFailure(new RpcError(code, message, data)))
}

function ofCaller(error: unknown): ToolFailure | undefined {
  if (isA(error, RpcError)) return ofRpc(error)
  if (isA(error, ToolExecutionError)) return failure('domain_rejection', evidence(error), replan, error)
  if (isA(error, OutcomeUnknownError)) {
    return endedByDeadline(error)
      ? failure('timeout', texts.lostInTime, finish, error)
      : failure('unavailable', texts.lost, finish, error)
  }
  if (isA(error, MalformedResponseError)) return failure('malformed_result', texts.malformed, finish, error)
  if (isA(error, InternalClientError)) return failure('internal', texts.internal, finish, error)
  if (
    isA(error, HttpResponseError) ||
    isA(error, ConnectionLostError) ||
    keptBack(error) ||
    isA(error, SubscriptionCancelledError)
  ) {
    return failure('unavailable', texts.unavailable, finish, error)
  }
  return undefined
}

function ofElse(error: unknown): ToolFailure {
  if (isA(error, InvalidCallError)) {
    return failure('invalid_call', error.message, { action: 'correct_call', issues: error.issues }, error)
  }
  if (endedByDeadline(error)) return failure('timeout', texts.timeout, finish, error)
  if (endedByAbort(error)) return failure('unavailable', texts.stopped, finish, error)
  if (endedByNetwork(error)) return failure('unavailable', texts.unavailable, finish, error)
  return failure('internal', texts.internal, finish, error)
}

function ofRpc(error: RpcError): ToolFailure {
  switch (error.rpc) {
    case -32602:
      return failure('invalid_call', told(error), { action: 'correct_call', issues: issuesOf(error) }, error)
    case -32601:
      return failure('invalid_call', told(error), replan, error)
    default:
      return failure('internal', texts.internal, finish, error)
  }
}

/** The issues of a caller that judged the arguments itself, with JSON Pointers for paths; never the data of a server. */
function issuesOf(error: RpcError): readonly FieldIssue[] {
  if (!isA(error, InvalidArgumentsError)) return []
  return error.issues.slice(0, 20).map((issue: unknown) => ({
    path: pointerPath(textOf(issue, 'path')),
    constraint: textOf(issue, 'constraint'),
    message: textOf(issue, 'message'),
  }))
}

function pointerPath(pointer: string): readonly string[] {
  if (!pointer.startsWith('/')) return pointer === '' ? [] : [pointer]
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function textOf(value: unknown, key: string): string {
  const text = memberOf(value, key)
  return typeof text === 'string' ? text.slice(0, 500) : ''
}

function told(error: unknown): string {
  const message = memberOf(error, 'message')
  return typeof message === 'string' && message !== '' ? message.slice(0, maximumText) : 'The call is invalid'
}

/** The words of a tool that failed, as far as they are meant for the model. */
function evidence(error: ToolExecutionError): string {
  try {
    const words = blocksForModel(error.response.content).flatMap((block) =>
      block.type === 'text' ? [block.text] : [],
    )
    return words.join('\n').slice(0, maximumText) || 'The tool failed without saying why'
  } catch {
    return 'The tool failed without saying why'
  }
}
