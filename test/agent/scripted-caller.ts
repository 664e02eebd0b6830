import type { Caller, CallRequest, CallResponse, ToolCallOptions } from '../../src/client/caller.js'
import type { CompletedCall } from '../../src/client/completed-call.js'
import type { InputRequest, InputResponse } from '../../src/client/input.js'
import type { Task } from '../../src/client/task.js'

/** An answer, or what is thrown instead of one. */
export type Scripted<T> = T | { readonly throws: unknown }

export interface Script {
  readonly calls?: readonly Scripted<CallResponse>[]
  readonly tasks?: readonly Scripted<Task>[]
  readonly updates?: readonly Scripted<undefined>[]
  readonly cancels?: readonly Scripted<undefined>[]
}

export interface ScriptedCaller extends Caller {
  readonly calls: { readonly request: CallRequest; readonly options: ToolCallOptions }[]
  readonly reads: string[]
  readonly updates: { readonly taskId: string; readonly responses: Readonly<Record<string, InputResponse>> }[]
  readonly cancels: string[]
}

/** A caller that answers in the order it was told and keeps what it was asked; the last answer repeats. */
export function scriptedCaller(script: Script): ScriptedCaller {
  const seen = {
    calls: [] as { request: CallRequest; options: ToolCallOptions }[],
    reads: [] as string[],
    updates: [] as { taskId: string; responses: Readonly<Record<string, InputResponse>> }[],
    cancels: [] as string[],
  }
  return {
    ...seen,
    callTool: async (request: CallRequest, options: ToolCallOptions = {}) => {
      seen.calls.push({ request, options })
      return told(script.calls, seen.calls.length)
    },
    getTask: async (taskId: string) => {
      seen.reads.push(taskId)
      return told(script.tasks, seen.reads.length)
    },
    updateTask: async (taskId, responses) => {
      seen.updates.push({ taskId, responses })
      told(script.updates ?? [undefined], seen.updates.length)
    },
    cancelTask: async (taskId) => {
      seen.cancels.push(taskId)
      told(script.cancels ?? [undefined], seen.cancels.length)
    },
  }
}

function told<T>(script: readonly Scripted<T>[] | undefined, count: number): T {
  const answer = script?.[Math.min(count, script.length) - 1]
  if (typeof answer === 'object' && answer !== null && 'throws' in answer) throw answer.throws
  return answer as T
}

export function complete(structuredContent?: unknown, extras: Partial<CompletedCall> = {}): CompletedCall {
  return {
    status: 'complete',
    content: [{ type: 'text', text: 'done' }],
    ...(structuredContent !== undefined && { structuredContent }),
    isError: false,
    ...extras,
  }
}

export function asking(
  requests: Readonly<Record<string, InputRequest>>,
  requestState?: string,
): CallResponse {
  return { status: 'input_required', requests, ...(requestState !== undefined && { requestState }) }
}

export function form(properties: Record<string, object>, required: string[] = []): InputRequest {
  return {
    method: 'elicitation/create',
    params: { message: 'Please tell', requestedSchema: { type: 'object', properties, required } },
  }
}

const facts = {
  taskId: 'task-1',
  createdAt: '2026-08-22T09:00:00Z',
  lastUpdatedAt: '2026-08-22T09:00:00Z',
  ttlMs: null,
}

type Rest<T> = T extends unknown ? Omit<T, keyof typeof facts> : never

export function task(rest: Rest<Task>, extras: object = {}): Task {
  return { ...facts, ...rest, ...extras }
}
