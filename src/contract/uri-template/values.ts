const rawSeparator = /[/\\?#]/
const separator = /[/\\\u0000]/
const encodedSeparator = /%(?:25)*(?:2f|5c|00|2e)/i
const encodedDotOrNul = /%(?:25)*(?:5c|00|2e)/i

/**
 * Decodes one path segment, or gives `undefined` when it is empty, malformed, a dot segment, or holds a separator
 * that is plain, encoded, or encoded again.
 */
export function readSegment(raw: string): string | undefined {
  if (raw === '' || rawSeparator.test(raw)) return undefined
  const value = decode(raw)
  if (value === undefined || isDots(value)) return undefined
  if (value !== raw && (separator.test(value) || encodedSeparator.test(value))) return undefined
  return value
}

/** Decodes text that may hold separators, or gives `undefined` when it is empty, malformed or has a dot segment. */
export function readPath(raw: string): string | undefined {
  const value = raw === '' ? undefined : readText(raw)
  if (value === undefined || encodedDotOrNul.test(value)) return undefined
  return value.split(/[/\\]/).some(isDots) ? undefined : value
}

/** Decodes the text of a query value or fragment, or gives `undefined` when it is malformed or holds NUL. */
export function readText(raw: string): string | undefined {
  const value = decode(raw)
  return value === undefined || value.includes('\u0000') ? undefined : value
}

function isDots(value: string): boolean {
  return value === '.' || value === '..'
}

function decode(raw: string): string | undefined {
  if (!raw.includes('%')) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}
