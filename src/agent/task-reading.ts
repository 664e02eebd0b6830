import type { Caller } from '../client/caller.js'
import {
  ConnectionLostError,
  HttpResponseError,
  MalformedResponseError,
  OutcomeUnknownError,
  RpcError,
} from '../client/errors.js'
import type { Task } from '../client/task.js'
import { endedByNetwork } from './cause-chain.js'

const usualInterval = 1000
const shortestInterval = 100
const longestInterval = 3_600_000
const maximumFailures = 5
const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504])

/** Waits; rejects when the signal aborts. */
export type Pause = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>

/** What reading a task needs. */
export interface TaskReading {
  readonly caller: Caller
  readonly signal: AbortSignal | undefined
  readonly pause: Pause
}

/** Waits as long as the task last asked for, within reason. */
export async function pauseFor(
  { pollIntervalMs: hint }: Task,
  { pause, signal }: TaskReading,
): Promise<void> {
  const wanted = typeof hint === 'number' && Number.isFinite(hint) ? hint : usualInterval
  await pause(Math.min(Math.max(wanted, shortestInterval), longestInterval), signal)
}

/**
 * Reads a task. A failure that may pass is followed by another read after the last hint, up to five in a row. Throws
 * `MalformedResponseError` for an answer about another task, and the last failure.
 */
export async function readTask(reading: TaskReading, last: Task): Promise<Task> {
  const { caller, signal } = reading
  for (let failures = 1; ; failures++) {
    try {
      signal?.throwIfAborted()
      const task = await caller.getTask(last.taskId, { ...(signal !== undefined && { signal }) })
      if (task.taskId === last.taskId) return task
      throw new MalformedResponseError('The answer is about another task')
    } catch (error) {
      signal?.throwIfAborted()
      if (!mayPass(error) || failures >= maximumFailures) throw error
    }
    await pauseFor(last, reading)
  }
}

/** Whether a failure of a read or of a wish to cancel may be gone the next time. */
export function mayPass(error: unknown): boolean {
  if (error instanceof OutcomeUnknownError || error instanceof ConnectionLostError) return true
  if (error instanceof HttpResponseError) return transientStatuses.has(error.status)
  if (error instanceof RpcError) return error.rpc === -32603
  return endedByNetwork(error)
}
