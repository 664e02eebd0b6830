import { InternalClientError, MalformedResponseError, RpcError } from '../client/errors.js'
import { delay } from '../client/engine/delay.js'
import type { Task } from '../client/task.js'
import { checkSomeAnswers, type Answers } from './answers.js'
import { stopped, suspendedAs, type Round } from './execute-call.js'
import { ended, failure } from './failure.js'
import type { ToolOutcome } from './outcome.js'
import { completed, failedBy } from './result.js'
import { nextRound, refuseTextOnly, type ResumeOptions } from './resume-call.js'
import { runStep, settleStep, type Step } from './step.js'
import { toolOf, type PendingTask, type SuspendedCall } from './suspended-call.js'
import { mayPass, pauseFor, readTask, type Pause, type TaskReading } from './task-reading.js'
import { taskFailure, toToolFailure } from './to-tool-failure.js'
import type { AgentTool, Toolset } from './toolset.js'

/** What to do with a task: answer some of its questions, ask for its end, or neither and see how it stands. */
export type TaskAction =
  | { readonly responses: Answers; readonly cancel?: never }
  | { readonly cancel: true; readonly responses?: never }
  | { readonly responses?: never; readonly cancel?: never }

export interface TaskResumeOptions extends Omit<ResumeOptions, 'onProgress' | 'taskSupport'> {
  /** `false`: looks once instead of until the task asks or ends. */
  readonly wait?: boolean
  /** Waits between two looks; a timer when left out. */
  readonly pause?: Pause
}

/** Everything one operation on a task is about. */
interface Operation extends TaskReading {
  readonly tool: AgentTool
  readonly pending: PendingTask
  readonly round: Round
  readonly step: Step
  readonly wait: boolean
}

/**
 * Takes one step with a task: answers, cancels or observes it. The tool that created it is never run again.
 *
 * Answers are delivered at most once; when nobody knows whether they arrived, the call fails for good. A cancellation
 * is kept before it is sent and repeated on later observations until the task has ended. Observing waits until the task
 * asks something new (unless its end is wanted) or ends, and throws the reason of an aborted signal or a lasting failure to read, which leave the record
 * as good as before; other errors are those of `resumeCall`.
 */
export async function resumeTask(
  toolset: Toolset,
  suspended: SuspendedCall,
  action: TaskAction,
  options: TaskResumeOptions,
): Promise<ToolOutcome> {
  const tool = toolOf(toolset, suspended)
  const { pending } = suspended
  if (pending.kind !== 'task') throw new InternalClientError('The call is no task; resume it with resumeCall')
  refuseTextOnly(options)
  const { signal, store, wait = true, pause = delay } = options
  signal?.throwIfAborted()
  const round = nextRound(suspended)
  const step = { store, toolCallId: round.toolCallId, sequence: round.sequence }
  const operation = { caller: toolset.caller, signal, pause, tool, pending, round, step, wait }
  if (action.responses !== undefined) return answer(operation, action.responses)
  return action.cancel === undefined ? observe(operation) : cancel(operation)
}

async function answer(operation: Operation, responses: Answers): Promise<ToolOutcome> {
  const { caller, pending, round, step } = operation
  await checkSomeAnswers(openRequests(pending), responses)
  return runStep(step, async () => {
    try {
      await caller.updateTask(pending.task.taskId, responses, signalOf(operation))
    } catch (error) {
      return { status: 'failed', failure: ended(toToolFailure(stopped(error, operation.signal))) }
    }
    const answered = [...pending.answered, ...Object.keys(responses)]
    return suspendedAs(round, { ...pending, answered })
  })
}

async function cancel(operation: Operation): Promise<ToolOutcome> {
  const { round, pending, step } = operation
  const wanted = suspendedAs(round, { ...pending, cancelRequested: true })
  const outcome = await settleStep(step, wanted)
  if (outcome === wanted) await askToEnd(operation)
  return outcome
}

/** Whether the wish needs no repetition: it was taken, or refused in a way that will not change. */
async function askToEnd(operation: Operation): Promise<boolean> {
  try {
    await operation.caller.cancelTask(operation.pending.task.taskId, signalOf(operation))
    return true
  } catch (error) {
    return !mayPass(error)
  }
}

async function observe(operation: Operation): Promise<ToolOutcome> {
  const { step, pending } = operation
  const saved = await step.store.load(step.toolCallId, step.sequence)
  if (saved !== undefined) return saved
  let { task } = pending
  let settled = pending.cancelRequested !== true
  for (;;) {
    try {
      task = await readTask(operation, task)
    } catch (error) {
      return await settleStep(step, lost(error))
    }
    if (!isOver(task)) settled ||= await askToEnd(operation)
    const outcome = await news(operation, task)
    if (outcome !== undefined) return settleStep(step, outcome)
    await pauseFor(task, operation)
  }
}

function isOver({ status }: Task): boolean {
  return status !== 'working' && status !== 'input_required'
}

/** The failure of a read that ends the call; any other is thrown, since the task goes on. */
function lost(error: unknown): ToolOutcome {
  const final = error instanceof MalformedResponseError || (error instanceof RpcError && !mayPass(error))
  if (!final) throw error
  return { status: 'failed', failure: ended(toToolFailure(error)) }
}

/** What a look at the task tells; undefined while there is nothing new and the host waits. */
async function news(operation: Operation, task: Task): Promise<ToolOutcome | undefined> {
  const { tool, round, pending, wait } = operation
  switch (task.status) {
    case 'completed':
      return completed(tool, task.result)
    case 'failed':
      return { status: 'failed', failure: taskFailure(task.error.code, task.error.message, task.error.data) }
    case 'cancelled':
      return { status: 'failed', failure: failure('unavailable', 'The task was cancelled') }
    case 'working':
    case 'input_required': {
      const now = { ...pending, task }
      const asks = now.cancelRequested !== true && Object.keys(openRequests(now)).length > 0
      return asks || !wait ? suspendedAs(round, now) : undefined
    }
    default:
      return failedBy(new MalformedResponseError('The task has an unknown status'))
  }
}

/** The questions of a task that were not answered; keys are never used twice. */
function openRequests({ task, answered }: PendingTask) {
  if (task.status !== 'input_required') return {}
  return Object.fromEntries(Object.entries(task.requests).filter(([key]) => !answered.includes(key)))
}

function signalOf({ signal }: Operation) {
  return signal === undefined ? {} : { signal }
}
