import type { Caller } from './caller.js'
import type { InputHandlers } from './caller-options.js'
import { delay } from './engine/delay.js'
import { OutcomeUnknownError } from './errors.js'
import { answered } from './engine/input-rounds.js'
import type { Task } from './task.js'

export interface WaitForTaskOptions {
  readonly signal?: AbortSignal
  /** Answers the task's questions, each once; without it the wait ends at the first question. */
  readonly onInput?: InputHandlers
}

const usualPause = 1000
const shortestPause = 50
const longestPause = 3_600_000
const mostLostReads = 5

/**
 * Reads a task until it is finished, pausing as long as its server wishes. All it needs is the id, so that a wait can
 * be taken up again by another process.
 *
 * Resolves with the finished task, or with one that waits for input nobody here answers. A read whose answer was lost
 * is repeated, a few times in a row at most; the delivery of an answer never is. MCP extension tasks (TK-12).
 */
export async function waitForTask(
  caller: Caller,
  taskId: string,
  { signal, onInput }: WaitForTaskOptions = {},
): Promise<Task> {
  const options = signal === undefined ? {} : { signal }
  const given = new Set<string>()
  let pause = usualPause
  let lostReads = 0
  for (;;) {
    const task = await readUnlessLost(caller, taskId, options, lostReads + 1 < mostLostReads)
    if (task === undefined) lostReads++
    else {
      lostReads = 0
      pause = Math.min(task.pollIntervalMs ?? pause, longestPause)
      if (task.status === 'input_required' && onInput !== undefined) {
        const open = Object.entries(task.requests).filter(([key]) => !given.has(key))
        const responses = await answered(Object.fromEntries(open), onInput, signal)
        for (const [key] of open) given.add(key)
        if (open.length > 0) await caller.updateTask(taskId, responses, options)
      } else if (task.status !== 'working') return task
    }
    await delay(jittered(pause * 2 ** lostReads), signal)
  }
}

/** Reads once; gives undefined when the answer was lost and may be asked for again. */
async function readUnlessLost(
  caller: Caller,
  taskId: string,
  options: { readonly signal?: AbortSignal },
  again: boolean,
): Promise<Task | undefined> {
  try {
    return await caller.getTask(taskId, options)
  } catch (error) {
    if (again && options.signal?.aborted !== true && error instanceof OutcomeUnknownError) return undefined
    throw error
  }
}

/** Never sooner than wished, and not all at the same time. */
function jittered(pause: number): number {
  return Math.max(pause, shortestPause) * (1 + Math.random() / 5)
}
