import type { FieldIssue } from './field-issue.js'

/** The arguments of a call break the schema of its tool; `issues` say where. Nothing was sent. */
export class InvalidCallError extends Error {
  override readonly name = 'InvalidCallError'
  readonly code = 'ERR_INVALID_CALL'
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[], message = 'The arguments do not match the schema of the tool') {
    super(message)
    this.issues = issues
  }
}

/** What a planner gave back cannot be carried out as a whole. Ends the run: it is not shown to the model. */
export class OutputContractError extends Error {
  override readonly name = 'OutputContractError'
  readonly code = 'ERR_OUTPUT_CONTRACT'
}

/** A saved call of another version, another toolset or a tool that changed since; it is not converted. */
export class UnsupportedRecordError extends Error {
  override readonly name = 'UnsupportedRecordError'
  readonly code = 'ERR_UNSUPPORTED_RECORD'
}

/** The answers do not fit the questions; `issues` say where. Nothing was sent, so the host may ask again. */
export class InvalidAnswersError extends Error {
  override readonly name = 'InvalidAnswersError'
  readonly code = 'ERR_INVALID_ANSWERS'
  readonly issues: readonly FieldIssue[]

  constructor(issues: readonly FieldIssue[]) {
    super('The answers do not match what was asked')
    this.issues = issues
  }
}

/**
 * Somebody else took this step of the call and has not settled it. Try again later; when that worker is known to be
 * dead, nobody knows whether the step ran, and it must not be repeated.
 */
export class CallInProgressError extends Error {
  override readonly name = 'CallInProgressError'
  readonly code = 'ERR_CALL_IN_PROGRESS'

  constructor() {
    super('This step of the call was taken by another worker that has not settled it')
  }
}
