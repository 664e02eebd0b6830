import type { ContentBlock } from '../contract/content.js'
import type { Meta } from '../contract/presentation.js'
import type { ToolFailure } from './failure.js'
import type { SuspendedCall } from './suspended-call.js'

/** The tool is done. `modelContent` tells what of it is for the model. */
export interface CallSucceeded {
  readonly status: 'ok'
  /** The structured result; absent when the tool gives content only. Text is never parsed for it. */
  readonly value?: unknown
  readonly content: readonly ContentBlock[]
  readonly metadata?: Meta
}

export interface CallFailed {
  readonly status: 'failed'
  readonly failure: ToolFailure
}

/** The tool is not done. For the host only: a model learns of it when it is. */
export interface CallSuspended {
  readonly status: 'suspended'
  readonly suspended: SuspendedCall
}

/** What became of one step of a call; its JSON text holds all of it but the cause of a failure. */
export type ToolOutcome = CallSucceeded | CallFailed | CallSuspended
