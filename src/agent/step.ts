import type { SuspendedCallStore } from './call-store.js'
import { CallInProgressError } from './errors.js'
import type { ToolOutcome } from './outcome.js'

/** One step of one call. */
export interface Step {
  readonly store: SuspendedCallStore
  readonly toolCallId: string
  readonly sequence: number
}

/** Does the work of a step for the first who asks and tells everybody else its saved outcome. `work` never rejects. */
export async function runStep(step: Step, work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  const { store, toolCallId, sequence } = step
  if (!(await store.claim(toolCallId, sequence))) return standing(step)
  const outcome = await work()
  await store.settle(toolCallId, sequence, outcome)
  return outcome
}

/** Settles a step whose work may be done twice without harm, such as a read; the first outcome stands for everybody. */
export async function settleStep(step: Step, outcome: ToolOutcome): Promise<ToolOutcome> {
  const { store, toolCallId, sequence } = step
  return (await store.claim(toolCallId, sequence, outcome)) ? outcome : standing(step)
}

async function standing({ store, toolCallId, sequence }: Step): Promise<ToolOutcome> {
  const saved = await store.load(toolCallId, sequence)
  if (saved === undefined) throw new CallInProgressError()
  return saved
}
