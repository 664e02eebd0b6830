import type { InputRequest } from '../client/input.js'
import type { TaskToolDefinition } from '../contract/task-tool.js'
import type { ToolReturn } from '../contract/tool.js'
import type { ToolError } from '../errors.js'
import type { TaskFailure } from './task-state.js'

/** What is known of a task besides how it stands. */
export interface TaskFacts {
  /** The service's own name for the job; clients know it with the name of the tool in front. */
  readonly taskId: string
  readonly statusMessage?: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Milliseconds from creation for which the task is kept; null for ever. */
  readonly ttlMs: number | null
  /** Milliseconds a client waits between two reads. */
  readonly pollIntervalMs?: number
}

/**
 * A task as it stands. What the tool itself failed with is a completed task whose result is a `ToolError`; `failed` is for
 * JSON-RPC errors (MCP extension tasks, "Task").
 */
export type TaskObservation<D extends TaskToolDefinition = TaskToolDefinition> = TaskFacts &
  (
    | { readonly status: 'working' | 'cancelled' }
    | { readonly status: 'input_required'; readonly requests: Readonly<Record<string, InputRequest>> }
    | { readonly status: 'completed'; readonly result: ToolReturn<D> | ToolError }
    | { readonly status: 'failed'; readonly error: TaskFailure }
  )
