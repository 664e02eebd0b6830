/** Whether `aud`, a string or a list of strings, names one of the audiences, byte for byte (RFC 7519 §4.1.3). */
export function namesAudience(aud: unknown, audiences: ReadonlySet<string>): boolean {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return named.every((entry) => typeof entry === 'string') && named.some((entry) => audiences.has(entry))
}
