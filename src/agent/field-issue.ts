import type { $ZodIssue } from 'zod/v4/core'

const maximumIssues = 20
const maximumLength = 500

/** What is wrong at one place of a value; the rejected value is never repeated. */
export interface FieldIssue {
  readonly path: readonly (string | number)[]
  /** The rule that was broken, such as `invalid_type`, `too_big`, `required`. */
  readonly constraint: string
  /** What the rule wants, in a few words. */
  readonly expected?: string
  readonly message: string
}

/** The issues of a zod schema about a value, at most 20, telling of the nearest alternative of a union. */
export function fieldIssues(issues: readonly $ZodIssue[], value: unknown): readonly FieldIssue[] {
  return flatten(issues, [])
    .slice(0, maximumIssues)
    .map(({ issue, path }) => fieldIssue(issue, path, value))
}

interface PlacedIssue {
  readonly issue: $ZodIssue
  readonly path: readonly PropertyKey[]
}

function flatten(issues: readonly $ZodIssue[], prefix: readonly PropertyKey[]): PlacedIssue[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      const [nearest = []] = [...issue.errors].sort((a, b) => a.length - b.length)
      return flatten(nearest, path)
    }
    return [{ issue, path }]
  })
}

function fieldIssue(issue: $ZodIssue, path: readonly PropertyKey[], value: unknown): FieldIssue {
  const expected = expectation(issue)
  const told = issue.message.slice(0, maximumLength)
  return {
    path: path.map((key) => (typeof key === 'number' ? key : String(key))),
    constraint: issue.code,
    ...(expected !== undefined && { expected: expected.slice(0, maximumLength) }),
    message: repeats(issue.message, valueAt(value, path)) ? `The value breaks ${issue.code}` : told,
  }
}

function expectation(issue: $ZodIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected
    case 'too_big':
      return `${issue.origin} ${issue.inclusive === false ? '<' : '<='} ${issue.maximum}`
    case 'too_small':
      return `${issue.origin} ${issue.inclusive === false ? '>' : '>='} ${issue.minimum}`
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`
    case 'invalid_format':
      return issue.pattern === undefined ? issue.format : `${issue.format} ${issue.pattern}`
    case 'invalid_value':
      return issue.values.map(String).join(' | ')
    default:
      return undefined
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let place = value
  for (const key of path) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined
    place = (place as Record<PropertyKey, unknown>)[key]
  }
  return place
}

/** Whether a message, which the author of a schema may have written, holds the rejected text or number. */
function repeats(message: string, rejected: unknown): boolean {
  if (typeof rejected !== 'string' && typeof rejected !== 'number') return false
  const text = String(rejected)
  return text.length > 2 && message.includes(text)
}
