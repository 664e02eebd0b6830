import type { FieldIssue } from './field-issue.js'

/** What went wrong, in the words a model and its host share. */
export type FailureKind =
  | 'invalid_call'
  | 'domain_rejection'
  | 'unavailable'
  | 'rate_limited'
  | 'timeout'
  | 'malformed_result'
  | 'internal'

/**
 * What may come next. `correct_call`: the same tool again with other arguments; `replan`: go on without this tool for
 * a turn; `finish`: no more tools in this run.
 */
export type Recovery =
  | {
      readonly action: 'correct_call'
      readonly issues: readonly FieldIssue[]
      /** The arguments the model sent, added by `withCorrection`. */
      readonly priorInput?: unknown
      readonly example?: unknown
    }
  | { readonly action: 'replan' }
  | { readonly action: 'finish' }

/** A failure a model may see. */
export interface ToolFailure {
  readonly kind: FailureKind
  readonly message: string
  readonly recovery: Recovery
  /** For the host only: not enumerable, so it is in no JSON text, as the `cause` of an `Error`. */
  readonly cause?: unknown
}

export const finish: Recovery = Object.freeze({ action: 'finish' })
export const replan: Recovery = Object.freeze({ action: 'replan' })

/** Makes a failure with its cause out of sight. */
export function failure(
  kind: FailureKind,
  message: string,
  recovery: Recovery = finish,
  cause?: unknown,
): ToolFailure {
  const made = { kind, message, recovery }
  if (cause !== undefined) Object.defineProperty(made, 'cause', { value: cause, enumerable: false })
  return Object.freeze(made)
}

/** A failure after which the run ends, whatever it was before: an invalid call nobody may correct is internal. */
export function ended({ kind, message, cause }: ToolFailure): ToolFailure {
  return failure(kind === 'invalid_call' ? 'internal' : kind, message, finish, cause)
}
