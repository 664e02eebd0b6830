/** By how much clocks of machines that share a store may differ. */
const skewMilliseconds = 60_000

/** Whether something of this time is yet to happen: the clock was set back since, or was wrong then. */
export function isOfFuture(instant: number, now = Date.now()): boolean {
  return instant > now + skewMilliseconds
}

/** Whether something that lasts so long has not ended. A clock that was set back makes nothing last longer. */
export function lasts(until: number, milliseconds: number, now = Date.now()): boolean {
  return now < until && !isOfFuture(until - milliseconds, now)
}
