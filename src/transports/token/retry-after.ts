/** Reads a `Retry-After` (RFC 9110 §10.2.3), seconds or a date, as whole seconds from now; undefined for anything else. */
export function retryAfterSeconds(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,6}$/.test(value)) return Number(value)
  const at = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}
