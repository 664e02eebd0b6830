import { backOff, type Clock } from '../back-off.js'

/** What a call came to, as far as a breaker needs to know. */
export interface Attempt {
  /** Why the other side did not do its work; absent when it did. */
  readonly outage?: string | undefined
}

/** Why nothing is sent now. */
export interface Blocked {
  readonly ok: false
  readonly reason: string
  readonly retryAfterSeconds: number
}

/** Stops calling a service that keeps failing. */
export interface CircuitBreaker {
  /** Grows with each outage found. */
  readonly generation: number
  /** Why a call would not be made now; undefined when it would. */
  readonly blocked: Blocked | undefined
  /** Makes a call unless blocked. The call must not reject. */
  run<T extends Attempt>(call: () => Promise<T>): Promise<T | Blocked>
}

const failuresToOpen = 5

/**
 * Blocks after five failures in a row, first for 1 s, doubling to 30 s; then one call at a time tries again until one
 * succeeds. What was begun before a block says nothing about the time after it.
 */
export function circuitBreaker(clock: Clock): CircuitBreaker {
  const failing = backOff(clock)
  let failures = 0
  let generation = 0
  let isProbing = false

  function blocked(): Blocked | undefined {
    const { reason, retryAfterSeconds } = failing
    if (reason === undefined || !(failing.isActive || isProbing)) return undefined
    return { ok: false, reason, retryAfterSeconds }
  }

  function settle(outage: string | undefined): void {
    if (outage === undefined) {
      failures = 0
      failing.succeed()
      return
    }
    failures += 1
    if (failures < failuresToOpen) return
    generation += 1
    failing.fail(outage)
  }

  return {
    get generation() {
      return generation
    },
    get blocked() {
      return blocked()
    },
    async run(call) {
      const reason = blocked()
      if (reason !== undefined) return reason
      const begun = generation
      const isProbe = failing.reason !== undefined
      isProbing ||= isProbe
      const attempt = await call()
      if (isProbe) isProbing = false
      if (begun === generation) settle(attempt.outage)
      return attempt
    },
  }
}
