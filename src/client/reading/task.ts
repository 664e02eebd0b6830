import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { InputSupport } from '../caller-options.js'
import type { Task } from '../task.js'
import { readCompletedCall } from './completed-call.js'
import { readInputRequests } from './input-request.js'
import { malformed, optionalText, text } from './member.js'

/** Reads a task just created, which need not hold its result yet. Throws `MalformedResponseError` (TK-5). */
export function readCreatedTask(value: JsonObject, support: InputSupport): Task {
  const { status } = value
  const unread = (status === 'completed' && !value['result']) || (status === 'failed' && !value['error'])
  return readTask(unread ? { ...value, status: 'working' } : value, support)
}

/** Reads a task in the flat form of the tasks extension. Throws `MalformedResponseError` (TK-5, TK-8). */
export function readTask(value: JsonObject, support: InputSupport): Task {
  const facts = readFacts(value)
  const status = value['status']
  switch (status) {
    case 'working':
    case 'cancelled':
      return { ...facts, status }
    case 'input_required':
      return { ...facts, status, requests: readInputRequests(value['inputRequests'] ?? {}, support) }
    case 'completed': {
      const result = value['result']
      if (!isJsonObject(result)) throw malformed('A completed task needs a `result`')
      if (result['resultType'] !== undefined && result['resultType'] !== 'complete') {
        throw malformed('The result of a task must be complete')
      }
      return { ...facts, status, result: readCompletedCall(result, 'task') }
    }
    case 'failed':
      return { ...facts, status, error: readError(value['error']) }
    default:
      throw malformed('A task has an unknown `status`')
  }
}

function readFacts(value: JsonObject) {
  const where = 'task'
  const statusMessage = optionalText(value, 'statusMessage', where)
  const { ttlMs = null, pollIntervalMs } = value
  if (ttlMs !== null && !isCount(ttlMs)) throw malformed('task: `ttlMs` must be a whole number or null')
  if (pollIntervalMs !== undefined && !isCount(pollIntervalMs)) {
    throw malformed('task: `pollIntervalMs` must be a whole number')
  }
  return {
    taskId: text(value, 'taskId', where),
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: text(value, 'createdAt', where),
    lastUpdatedAt: text(value, 'lastUpdatedAt', where),
    ttlMs,
    ...(pollIntervalMs !== undefined && { pollIntervalMs }),
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function readError(value: unknown) {
  if (!isJsonObject(value) || typeof value['code'] !== 'number' || !Number.isInteger(value['code'])) {
    throw malformed('A failed task needs an `error` with a code')
  }
  const message = text(value, 'message', 'task error')
  return { code: value['code'], message, ...(Object.hasOwn(value, 'data') && { data: value['data'] }) }
}
