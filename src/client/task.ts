import type { CompletedCall } from './completed-call.js'
import type { InputRequest } from './input.js'

interface TaskFacts {
  readonly taskId: string
  readonly statusMessage?: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Milliseconds from creation for which the task is kept; null for ever. */
  readonly ttlMs: number | null
  /** Milliseconds to wait between two reads. */
  readonly pollIntervalMs?: number
}

/** A task as it was last observed (`io.modelcontextprotocol/tasks`). A tool that failed is completed with `isError`. */
export type Task = TaskFacts &
  (
    | { readonly status: 'working' }
    | { readonly status: 'input_required'; readonly requests: Readonly<Record<string, InputRequest>> }
    | { readonly status: 'completed'; readonly result: CompletedCall }
    | {
        readonly status: 'failed'
        readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
      }
    | { readonly status: 'cancelled' }
  )
