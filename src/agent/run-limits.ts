import { failure, finish, type ToolFailure } from './failure.js'
import { planCalls, type ToolCall } from './plan-calls.js'
import type { ToolRequest } from './tool-request.js'

export interface RunLimitOptions {
  /** How many calls the whole run may make; 8 when left out. */
  readonly maxToolCalls?: number
  /** How long the run may take; two minutes when left out. */
  readonly timeBudgetMs?: number
  /** Ends the run earlier. */
  readonly signal?: AbortSignal
}

/** The bounds of one run of an agent. */
export interface RunLimits {
  /** Passed to every call of the run; aborts when the time is over. */
  readonly signal: AbortSignal
  /**
   * Accepts the calls of one turn, all or none, and counts them; a failure that finishes the run when the time is over
   * or the calls are too many. Throws `OutputContractError` as `planCalls` does.
   */
  plan(requests: readonly ToolRequest[]): readonly ToolCall[] | ToolFailure
}

/** Starts the clock and the count of one run. */
export function runLimits(options: RunLimitOptions = {}): RunLimits {
  const { maxToolCalls = 8, timeBudgetMs = 120_000 } = options
  const budget = AbortSignal.timeout(timeBudgetMs)
  const signal = options.signal === undefined ? budget : AbortSignal.any([budget, options.signal])
  let left = maxToolCalls
  return {
    signal,
    plan(requests) {
      if (budget.aborted) return failure('timeout', 'The time of this run is over', finish, budget.reason)
      if (signal.aborted) return failure('unavailable', 'The run was stopped', finish, signal.reason)
      const calls = planCalls(requests)
      if (calls.length > left) {
        return failure('rate_limited', `This run may make ${maxToolCalls} tool calls; no more are left`)
      }
      left -= calls.length
      return calls
    },
  }
}
