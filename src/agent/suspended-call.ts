import type { InputRequest } from '../client/input.js'
import type { Task } from '../client/task.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { UnsupportedRecordError } from './errors.js'
import type { AgentTool, Toolset } from './toolset.js'

/** Questions to answer before the call goes on with `resumeCall`. */
export interface PendingInput {
  readonly kind: 'input'
  /** The server's state, byte for byte; absent when it sent none, which is not the same as an empty text. */
  readonly requestState?: string
  readonly requests: Readonly<Record<string, InputRequest>>
}

/** A task to follow with `resumeTask`. */
export interface PendingTask {
  readonly kind: 'task'
  readonly task: Task
  /** Keys of questions whose answers were delivered. */
  readonly answered: readonly string[]
  readonly cancelRequested?: true
}

/** An unfinished call as plain JSON, to keep until its questions are answered or its task is done. */
export interface SuspendedCall {
  readonly version: 1
  readonly toolset: string
  readonly tool: string
  readonly toolCallId: string
  readonly providerCallId?: string
  /** The exact JSON text of the arguments. */
  readonly arguments: string
  /** The step that left the call here; the next one has one more. */
  readonly sequence: number
  /** Digest of the tool's schemas when it was called. */
  readonly contract: string
  readonly pending: PendingInput | PendingTask
}

/** Reads a record back from its JSON text. Throws `UnsupportedRecordError` for anything this version did not write. */
export function parseSuspendedCall(text: string): SuspendedCall {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UnsupportedRecordError('A suspended call is a JSON text')
  }
  return checkedRecord(value)
}

/** The tool a record is about. Throws `UnsupportedRecordError` when it is not this toolset's, or has changed. */
export function toolOf(toolset: Toolset, record: SuspendedCall): AgentTool {
  checkedRecord(record)
  if (record.toolset !== toolset.name) {
    throw new UnsupportedRecordError('The suspended call belongs to another toolset')
  }
  const tool = toolset.tools.get(record.tool)
  if (tool?.contract !== record.contract) {
    throw new UnsupportedRecordError('The tool of the suspended call is gone or has changed since')
  }
  return tool
}

function checkedRecord(value: unknown): SuspendedCall {
  if (!isJsonObject(value) || value['version'] !== 1) {
    throw new UnsupportedRecordError('The suspended call has another version than 1 and is not converted')
  }
  const { providerCallId = '', sequence, pending } = value
  const texts = [value['toolset'], value['tool'], value['toolCallId'], value['contract'], providerCallId]
  const whole =
    texts.every((text) => typeof text === 'string') &&
    isJsonText(value['arguments']) &&
    Number.isSafeInteger(sequence) &&
    Number(sequence) >= 0 &&
    isJsonObject(pending) &&
    (isPendingInput(pending) || isPendingTask(pending))
  if (!whole) throw new UnsupportedRecordError('The suspended call is damaged')
  return value as unknown as SuspendedCall
}

function isPendingInput({ kind, requestState = '', requests }: JsonObject): boolean {
  return kind === 'input' && typeof requestState === 'string' && areRequests(requests)
}

function isPendingTask({ kind, task, answered }: JsonObject): boolean {
  return (
    kind === 'task' &&
    isJsonObject(task) &&
    typeof task['taskId'] === 'string' &&
    (task['status'] !== 'input_required' || areRequests(task['requests'])) &&
    Array.isArray(answered)
  )
}

function areRequests(requests: unknown): boolean {
  return isJsonObject(requests) && Object.values(requests).every(isRequest)
}

function isRequest(request: unknown): boolean {
  const params = isJsonObject(request) ? request['params'] : undefined
  return isJsonObject(params) && (params['mode'] === 'url' || isJsonObject(params['requestedSchema']))
}

function isJsonText(text: unknown): boolean {
  try {
    return typeof text === 'string' && isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}
