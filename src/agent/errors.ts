import { CastellanError } from '../errors.js'
import type { FieldIssue } from './field-issue.js'

/** The arguments of a call break the schema of its tool; `issues` say where. Nothing was sent. */
export class InvalidCallError extends CastellanError {
  override readonly name = 'InvalidCallError'
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[], message?: string) {
    super('ERR_INVALID_CALL', message)
    this.issues = issues
  }
}

/** What a planner gave back cannot be carried out as a whole. Ends the run: it is not shown to the model. */
export class OutputContractError extends CastellanError {
  override readonly name = 'OutputContractError'

  constructor(message: string) {
    super('ERR_OUTPUT_CONTRACT', message)
  }
}

/** A saved call of another version, another toolset or a tool that changed since; it is not converted. */
export class UnsupportedRecordError extends CastellanError {
  override readonly name = 'UnsupportedRecordError'

  constructor(message: string, options?: ErrorOptions) {
    super('ERR_UNSUPPORTED_RECORD', message, options)
  }
}

/** The answers do not fit the questions; `issues` say where. Nothing was sent, so the host may ask again. */
export class InvalidAnswersError extends CastellanError {
  override readonly name = 'InvalidAnswersError'
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[]) {
    super('ERR_INVALID_ANSWERS')
    this.issues = issues
  }
}

/**
 * Somebody else took this step of the call and has not settled it. Try again later; when that worker is known to be
 * dead, nobody knows whether the step ran, and it must not be repeated.
 */
export class CallInProgressError extends CastellanError {
  override readonly name = 'CallInProgressError'

  constructor() {
    super('ERR_CALL_IN_PROGRESS')
  }
}
