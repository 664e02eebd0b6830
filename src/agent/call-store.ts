import type { ToolOutcome } from './outcome.js'

/**
 * Keeps the steps of calls, so that each runs once whoever asks. For production it stands on something durable with an
 * atomic insert, such as a unique key over call and sequence; Keyv alone has none.
 */
export interface SuspendedCallStore {
  /**
   * Atomically admits one successor: true to the first who claims this step of this call, false ever after. With an
   * outcome, the step is settled in the same instant.
   */
  claim(toolCallId: string, sequence: number, outcome?: ToolOutcome): Promise<boolean>
  /** Keeps the outcome of a claimed step; the first one stands. */
  settle(toolCallId: string, sequence: number, outcome: ToolOutcome): Promise<void>
  /** The outcome of a step; undefined while it is not settled. */
  load(toolCallId: string, sequence: number): Promise<ToolOutcome | undefined>
}

/** A store that lasts as long as this process. */
export interface MemorySuspendedCallStore extends SuspendedCallStore {
  /** Lets go of a call that is over for good; a duplicate that still arrives would run again. */
  forget(toolCallId: string): void
}

/** Keeps steps in memory, as JSON text, which is how a durable store would. */
export function memorySuspendedCallStore(): MemorySuspendedCallStore {
  const calls = new Map<string, Map<number, string | undefined>>()
  return {
    claim(toolCallId, sequence, outcome) {
      const steps = calls.get(toolCallId) ?? new Map<number, string | undefined>()
      calls.set(toolCallId, steps)
      if (steps.has(sequence)) return Promise.resolve(false)
      steps.set(sequence, outcome === undefined ? undefined : JSON.stringify(outcome))
      return Promise.resolve(true)
    },
    settle(toolCallId, sequence, outcome) {
      const steps = calls.get(toolCallId)
      if (steps?.has(sequence) === true && steps.get(sequence) === undefined) {
        steps.set(sequence, JSON.stringify(outcome))
      }
      return Promise.resolve()
    },
    load(toolCallId, sequence) {
      const text = calls.get(toolCallId)?.get(sequence)
      return Promise.resolve(text === undefined ? undefined : (JSON.parse(text) as ToolOutcome))
    },
    forget(toolCallId) {
      calls.delete(toolCallId)
    },
  }
}
