import type { Logger } from '../contract/context.js'
import type { Changes } from '../server/changes/changes.js'
import type { TaskRecord } from './task-record.js'
import type { TaskRecords } from './task-records.js'

/** What every runner takes. */
export interface TaskRunnerOptions {
  /** Milliseconds a task is kept from its creation on; its work is aborted when they are over. One hour when left out. */
  readonly ttlMs?: number
  /** Milliseconds clients wait between two reads; 1,000 when left out. */
  readonly pollIntervalMs?: number
  /** Tasks of one owner that may be unfinished at once; a call beyond them fails. 1,000 when left out. */
  readonly limitPerOwner?: number
  /** Where failures of handlers are told. */
  readonly log?: Logger
  /** The bus of the server, so that clients may follow their tasks on listen streams. */
  readonly changes?: Pick<Changes, 'stateChanged'>
}

/** Does the work of one task, from its begin or after a worker was lost. Resolves when nothing is left to do. */
export type TaskWork = (task: TaskRecord, scene: WorkScene) => Promise<void>

/** Where work is done. */
export interface WorkScene {
  readonly records: TaskRecords
  readonly log: Logger
  /** Aborts when this process stops working. */
  readonly stopping: AbortSignal
}

/** Keeps tasks and has their work done; made by `memoryTaskRunner` and `bullmqTaskRunner`. */
export interface TaskRunner {
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** What requests read and change. */
  readonly records: Pick<TaskRecords, 'read' | 'update'>
  /** Has the work of a tool done from now on. Throws `ERR_DEFINITION` for a tool that is bound already. */
  bind(tool: string, work: TaskWork): void
  /** Resolves once the task will be worked on, whatever happens to this process. */
  submit(task: TaskRecord, log: Logger): Promise<void>
  /** Aborts the work that is done here and waits for its end. Idempotent. */
  close(): Promise<void>
}
