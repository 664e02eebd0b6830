/** What a client reads of one answer; beyond it the answer is malformed. */
export interface AnswerLimits {
  /** Bytes of an answer that is not a stream. Default 16 MiB. */
  readonly answerBytes?: number
  /** Characters of one event of a stream. Default 4 Mi. */
  readonly eventSize?: number
  /** Nesting of arrays and objects in a message. Default 128. */
  readonly depth?: number
}

export type ReadLimits = Required<AnswerLimits>

/** Fills in the defaults. Throws `RangeError` for a limit that is not a positive integer. */
export function readLimits(limits: AnswerLimits = {}): ReadLimits {
  const { answerBytes = 16 * 1024 * 1024, eventSize = 4 * 1024 * 1024, depth = 128 } = limits
  for (const limit of [answerBytes, eventSize, depth]) {
    if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError('A limit must be a positive integer')
  }
  return { answerBytes, eventSize, depth }
}
