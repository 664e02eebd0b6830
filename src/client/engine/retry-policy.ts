import type { ToolAnnotations } from '../../contract/presentation.js'
import type { RetryPolicy } from '../caller-options.js'
import { ConnectionLostError, OutcomeUnknownError } from '../errors.js'

/**
 * Whether a tool call may be sent again: only when its event stream was cut before the answer, the tool says it is
 * read-only or idempotent, and the host trusts that. Everything else might run twice or fail the same way.
 */
export function mayRepeat(
  { maxAttempts, trustToolAnnotations }: RetryPolicy,
  annotations: ToolAnnotations | undefined,
  attempt: number,
  failure: unknown,
): boolean {
  if (attempt >= maxAttempts || !trustToolAnnotations || !wasInterrupted(failure)) return false
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
}

/** Whether an answer had begun as an event stream and was cut. */
function wasInterrupted(failure: unknown): boolean {
  return failure instanceof OutcomeUnknownError && failure.cause instanceof ConnectionLostError
}
