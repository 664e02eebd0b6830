/** Something that tests text, as a regular expression does. */
export interface Pattern {
  test(value: string): boolean
  /** Two patterns are the same when their texts are. */
  toString(): string
}

const longestPattern = 1000
const work = 20_000_000

/**
 * A regular expression of a server whose time is bounded.
 *
 * Backtracking takes about n^k steps for k unbounded repetitions on n characters, so a longer text than k allows for
 * is not judged; neither is anything by a pattern with repetitions in repetitions, back references, or more than
 * a handful of repetitions. Not judging means passing: the server judges its own schema anyway. Throws `SyntaxError`
 * for what is no regular expression.
 */
export function safePattern(source: string, flags: string): Pattern {
  const expression = new RegExp(source, flags)
  const toString = () => String(expression)
  const unjudged = { test: () => true, toString }
  if (source.length > longestPattern) return unjudged
  const repetitions = unboundedRepetitions(source)
  if (repetitions === undefined || repetitions > 6) return unjudged
  const starts = source.startsWith('^') ? 0 : 1
  const power = repetitions + starts
  const longest = power <= 1 ? Infinity : Math.floor(work ** (1 / power))
  return { test: (value) => value.length > longest || expression.test(value), toString }
}

interface Group {
  /** Whether the group repeats or offers a choice inside, which a repetition around it multiplies. */
  varies: boolean
}

/** How many unbounded repetitions a pattern has side by side; undefined when they nest or cannot be told. */
function unboundedRepetitions(source: string): number | undefined {
  const groups: Group[] = [{ varies: false }]
  let previous: Group | undefined
  let count = 0
  for (let at = 0; at < source.length; at++) {
    const char = source[at]
    const inside = groups[groups.length - 1] as Group
    if (char === '\\') {
      if (/[1-9k]/.test(source[at + 1] ?? '')) return undefined
      at++
      previous = undefined
    } else if (char === '[') {
      at = endOfClass(source, at)
      previous = undefined
    } else if (char === '(') {
      groups.push({ varies: false })
    } else if (char === ')') {
      previous = groups.pop()
      const outside = groups[groups.length - 1]
      if (previous === undefined || outside === undefined) return undefined
      outside.varies ||= previous.varies
    } else if (char === '|') {
      inside.varies = true
    } else {
      const repeats = repetition(source, at)
      if (repeats === undefined) {
        previous = undefined
        continue
      }
      at += repeats.length - 1
      if (repeats.most <= 1) continue
      if (previous?.varies === true) return undefined
      inside.varies = true
      if (repeats.most > 100) count++
    }
  }
  return count
}

/** The repetition written at a place: how long it is written, and how often it may repeat. */
function repetition(source: string, at: number): { length: number; most: number } | undefined {
  const char = source[at]
  if (char === '*' || char === '+') return { length: 1, most: Infinity }
  if (char === '?') return { length: 1, most: 1 }
  const counted = /^\{(\d+)(,?)(\d*)\}/.exec(source.slice(at, at + 24))
  if (counted === null) return undefined
  const [written, least = '', comma, most = ''] = counted
  if (comma === '') return { length: written.length, most: Number(least) }
  return { length: written.length, most: most === '' ? Infinity : Number(most) }
}

function endOfClass(source: string, start: number): number {
  let at = start + 1
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1
  return at
}
