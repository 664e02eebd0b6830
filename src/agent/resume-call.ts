import { InternalClientError } from '../client/errors.js'
import { checkAllAnswers, type Answers } from './answers.js'
import type { SuspendedCallStore } from './call-store.js'
import { sendRound, type CallOptions, type Round } from './execute-call.js'
import type { ToolOutcome } from './outcome.js'
import { runStep } from './step.js'
import { toolOf, type PendingInput, type SuspendedCall } from './suspended-call.js'
import type { Toolset } from './toolset.js'

export interface ResumeOptions extends CallOptions {
  /** Admits one worker to each step; every worker that may resume the call shares it. */
  readonly store: SuspendedCallStore
}

/**
 * Goes on with a call whose questions are answered: the same arguments, the server's state as it came, the answers of
 * this round. A duplicate gets the saved outcome.
 *
 * Rejects before anything is claimed or sent: `UnsupportedRecordError`, `InvalidAnswersError`, `InternalClientError`
 * when nobody may be asked (`hostInput: false`), the reason of an aborted signal, and `CallInProgressError` when
 * another worker has this step.
 */
export async function resumeCall(
  toolset: Toolset,
  suspended: SuspendedCall,
  { responses }: { readonly responses: Answers },
  options: ResumeOptions,
): Promise<ToolOutcome> {
  const tool = toolOf(toolset, suspended)
  const { pending } = suspended
  if (pending.kind !== 'input') throw new InternalClientError('The call is a task; follow it with resumeTask')
  refuseTextOnly(options)
  await checkAllAnswers(pending.requests, responses)
  options.signal?.throwIfAborted()
  const round = nextRound(suspended)
  const step = { store: options.store, toolCallId: round.toolCallId, sequence: round.sequence }
  return runStep(step, () => sendRound(toolset, tool, round, continuation(pending, responses), options))
}

/** A text-only run has nobody who could have answered. Throws `InternalClientError`. */
export function refuseTextOnly({ hostInput }: CallOptions): void {
  if (hostInput === false) throw new InternalClientError('A run without host input resumes nothing')
}

/** The step after the one that suspended a call. */
export function nextRound(suspended: SuspendedCall): Round {
  const { toolset, tool, toolCallId, providerCallId, contract } = suspended
  return {
    toolset,
    tool,
    toolCallId,
    ...(providerCallId !== undefined && { providerCallId }),
    arguments: suspended.arguments,
    sequence: suspended.sequence + 1,
    contract,
  }
}

function continuation({ requestState }: PendingInput, inputResponses: Answers) {
  return { ...(requestState !== undefined && { requestState }), inputResponses }
}
