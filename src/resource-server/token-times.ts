import type { RefusalReason } from './resource-server.js'

/** Within which times a token is good. */
export interface TimeRules {
  readonly clockToleranceSeconds: number
  readonly maxTokenLifetimeSeconds: number
}

/** The times a token states, not yet believed. */
export interface StatedTimes {
  readonly exp?: unknown
  readonly nbf?: unknown
  readonly iat?: unknown
}

/**
 * Says what is wrong with the times of a token at a moment (seconds since the epoch).
 *
 * `exp` is exclusive, `nbf` and `iat` inclusive, all exact for fractions. RFC 7519 §4.1.
 */
export function timeProblem(times: StatedTimes, rules: TimeRules, now: number): RefusalReason | undefined {
  const { exp, nbf, iat } = times
  const tolerance = rules.clockToleranceSeconds
  if (!isTime(exp) || (nbf !== undefined && !isTime(nbf)) || (iat !== undefined && !isTime(iat)))
    return 'claims'
  if (exp - (iat ?? now + tolerance) > rules.maxTokenLifetimeSeconds) return 'claims'
  if (hasExpired(exp, now, tolerance)) return 'expired'
  return now < Math.max(nbf ?? 0, iat ?? 0) - tolerance ? 'not-yet-valid' : undefined
}

/** Whether a token that ends at `exp` has ended (RFC 7519 §4.1.4). */
export function hasExpired(exp: number, now: number, clockToleranceSeconds: number): boolean {
  return now >= exp + clockToleranceSeconds
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}
