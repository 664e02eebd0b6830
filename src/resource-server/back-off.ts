/** Time and chance, so that tests can hold them still. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** From 0 up to 1. */
  readonly random: () => number
}

export const systemClock: Clock = { now: Date.now, random: Math.random }

/** Remembers that something failed and when it may be tried again. */
export interface BackOff {
  /** Why it failed last; undefined after a success. */
  readonly reason: string | undefined
  /** Whether it is too early to try again. */
  readonly isActive: boolean
  /** Whole seconds until the next try, at least 1. */
  readonly retryAfterSeconds: number
  fail(reason: string): void
  succeed(): void
}

const first = 1_000
const last = 24_000
const jitter = 0.25

/** 1 s after the first failure, doubling to 30 s, each up to a quarter longer by chance. */
export function backOff(clock: Clock): BackOff {
  let failures = 0
  let retryAt = 0
  let reason: string | undefined
  return {
    get reason() {
      return reason
    },
    get isActive() {
      return reason !== undefined && clock.now() < retryAt
    },
    get retryAfterSeconds() {
      return Math.max(1, Math.ceil((retryAt - clock.now()) / 1000))
    },
    fail(why) {
      const wait = Math.min(last, first * 2 ** failures) * (1 + jitter * clock.random())
      reason = why
      failures += 1
      retryAt = clock.now() + wait
    },
    succeed() {
      reason = undefined
      failures = 0
    },
  }
}
