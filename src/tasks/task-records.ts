import { after, type TaskOperation } from './task-state.js'
import type { TaskRecord } from './task-record.js'

/** Where tasks are kept until their time is over. */
export interface TaskRecords {
  /** Resolves to true once the record is durable, to false when its owner has that many unfinished tasks. */
  create(record: TaskRecord, limitPerOwner: number): Promise<boolean>
  read(id: string): Promise<TaskRecord | undefined>
  /**
   * Applies an operation as if nothing else happened meanwhile, and gives the record as it is then; undefined when there
   * is none any more.
   */
  update(id: string, operation: TaskOperation): Promise<TaskRecord | undefined>
  /** Tells the record after each change, soon, and undefined once when it is gone. Returns what ends that. */
  watch(id: string, changed: (record: TaskRecord | undefined) => void): () => void
}

/** A record after an operation, the very same one when nothing changed. */
export function updated(record: TaskRecord, operation: TaskOperation): TaskRecord {
  const state = after(record.state, operation)
  return state === record.state
    ? record
    : { ...record, state, updatedAt: Math.max(record.updatedAt, Date.now()) }
}
