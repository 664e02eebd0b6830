import { DefinitionError, ToolError } from '../errors.js'
import { publicId } from './task-id.js'
import type { TaskRecords } from './task-records.js'
import type { TaskRunnerOptions } from './task-runner.js'

/** Longer ones no timer can measure. */
const longestMs = 2 ** 31 - 1

/** Checks the options every runner takes. Throws `ERR_OPTION`. */
export function runnerOptions({
  ttlMs = 3_600_000,
  pollIntervalMs = 1000,
  limitPerOwner = 1000,
}: TaskRunnerOptions) {
  checkMs('limitPerOwner', limitPerOwner)
  checkMs('ttlMs', ttlMs)
  checkMs('pollIntervalMs', pollIntervalMs)
  return { ttlMs, pollIntervalMs, limitPerOwner }
}

/** Throws `ERR_OPTION` unless a number is whole, 1 or more, and fit for a timer. */
export function checkMs(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= longestMs) return
  throw new DefinitionError(`\`${name}\` must be a whole number from 1 to ${longestMs}`, 'ERR_OPTION')
}

/** How a call ends for which there is no room. */
export function noRoom(): ToolError {
  return new ToolError('The server cannot take on more work now; try again later')
}

/** The same records, whose changes are told to those who follow the tasks. */
export function telling(records: TaskRecords, changes: TaskRunnerOptions['changes']): TaskRecords {
  if (changes === undefined) return records
  return {
    create: (record, limitPerOwner) => records.create(record, limitPerOwner),
    read: (id) => records.read(id),
    watch: (id, changed) => records.watch(id, changed),
    async update(id, operation) {
      const record = await records.update(id, operation)
      if (record !== undefined) void changes.stateChanged('taskIds', publicId(record.tool, id))
      return record
    },
  }
}
