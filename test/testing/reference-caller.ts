import type { CallerPeer } from 'castellan/testing'
import {
  InternalClientError,
  MalformedResponseError,
  OutcomeUnknownError,
  RpcError,
} from '../../src/client/errors.js'
import type { Caller, CallResponse, RequestOptions, ToolCallOptions } from '../../src/client/caller.js'
import type { CompletedCall } from '../../src/client/completed-call.js'
import type { Task } from '../../src/client/task.js'
import type { JsonObject } from '../../src/protocol/json.js'

/** The shortest caller that keeps the contract: it hands requests to the peer in this process. */
export function referenceCaller(peer: CallerPeer): Caller {
  async function request(method: string, params: JsonObject, { signal }: RequestOptions): Promise<any> {
    signal?.throwIfAborted()
    const answer = await peer.answer(method, params)
    if ('lost' in answer) throw new OutcomeUnknownError(new Error('The peer is gone'))
    if ('error' in answer) throw new RpcError(answer.error.code, answer.error.message, answer.error.data)
    return answer.result
  }
  return {
    async callTool({ tool, arguments: args = {}, continuation }, options = {}) {
      if (options.hostInput === false && continuation !== undefined)
        throw new InternalClientError('Nobody to ask')
      const result = await request('tools/call', { name: tool, arguments: args, ...continuation }, options)
      return readResponse(result, options)
    },
    async getTask(taskId, options = {}) {
      const task = readTask(await request('tasks/get', { taskId }, options))
      if (task.taskId !== taskId) throw new MalformedResponseError('Another task')
      return task
    },
    async updateTask(taskId, inputResponses, options = {}) {
      await request('tasks/update', { taskId, inputResponses }, options)
    },
    async cancelTask(taskId, options = {}) {
      await request('tasks/cancel', { taskId }, options)
    },
  }
}

function readResponse(result: any, { taskSupport, hostInput }: ToolCallOptions): CallResponse {
  const { resultType, inputRequests: requests = {}, requestState } = result
  if (resultType === 'complete') return readCompleted(result)
  if (resultType === 'input_required' && hostInput !== false) {
    return { status: 'input_required', requests, ...(requestState !== undefined && { requestState }) }
  }
  if (resultType === 'task' && taskSupport === true) return { status: 'task', task: readTask(result) }
  throw new MalformedResponseError('Not asked for')
}

function readCompleted({ content, isError = false, _meta, ...rest }: any): CompletedCall {
  if (content === undefined) throw new MalformedResponseError('No content')
  return {
    status: 'complete',
    content,
    ...('structuredContent' in rest && { structuredContent: rest.structuredContent }),
    isError,
    ...(_meta !== undefined && { metadata: _meta }),
  }
}

const statuses = ['working', 'input_required', 'completed', 'failed', 'cancelled']

function readTask({ inputRequests, result, ...task }: any): Task {
  delete task.resultType
  if (!statuses.includes(task.status)) throw new MalformedResponseError('Unknown status')
  return {
    ...task,
    ...(inputRequests !== undefined && { requests: inputRequests }),
    ...(result !== undefined && { result: readCompleted(result) }),
  }
}
