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
 * Backtracking takes about n^k steps for k unbounded repetitions on n characters, times every other choice a pattern
 * leaves open, so a longer text than that allows for is not judged; neither is anything by a pattern with choices in
 * repetitions, back references, or more than a handful of repetitions. Not judging means passing: the server judges its
 * own schema anyway. `beforeTest` is called ahead of each test. Throws `SyntaxError` for what is no regular expression.
 */
export function safePattern(source: string, flags: string, beforeTest?: () => void): Pattern {
  const expression = new RegExp(source, flags)
  const toString = () => String(expression)
  const longest = source.length > longestPattern ? -1 : longestJudged(source)
  return {
    test(value) {
      beforeTest?.()
      return value.length > longest || expression.test(value)
    },
    toString,
  }
}

/** How many characters can be judged in time; -1 for none. */
function longestJudged(source: string): number {
  const cost = backtracking(source)
  if (cost === undefined || cost.repetitions > 6) return -1
  const { repetitions, ways, anchored } = cost
  const affordable = work / (ways * Math.ceil(source.length / 20))
  const power = repetitions + (anchored ? 0 : 1)
  if (power === 0) return affordable < 1 ? -1 : Infinity
  return Math.floor(affordable ** (1 / power))
}

interface Group {
  /** Whether it matches texts in more than one way, which a repetition around it multiplies. */
  varies: boolean
  /** Ways through the alternative at hand, unbounded repetitions left out. */
  ways: number
  /** The same of the alternatives before it. */
  others: number
}

interface Backtracking {
  /** How many unbounded repetitions stand side by side. */
  readonly repetitions: number
  /** Other choices, as if all of them were tried. */
  readonly ways: number
  /** Whether a match begins at the start of the text only. */
  readonly anchored: boolean
}

/** What a pattern may try; undefined when choices stand in repetitions or it cannot be told. */
function backtracking(source: string): Backtracking | undefined {
  const root = emptyGroup()
  const groups = [root]
  let previous: Group | undefined
  let repetitions = 0
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
      groups.push(emptyGroup())
      if (source[at + 1] === '?') at++
    } else if (char === ')') {
      previous = groups.pop()
      const outside = groups[groups.length - 1]
      if (previous === undefined || outside === undefined) return undefined
      outside.varies ||= previous.varies
      outside.ways *= previous.others + previous.ways
    } else if (char === '|') {
      inside.varies = true
      inside.others += inside.ways
      inside.ways = 1
    } else {
      const repeats = repetition(source, at)
      if (repeats === undefined) {
        previous = undefined
        continue
      }
      const { length, least, most } = repeats
      at += length - 1
      if (source[at + 1] === '?') at++
      if (most > 1 && previous?.varies === true) return undefined
      inside.varies ||= least < most
      if (most > 100) repetitions++
      else inside.ways *= Math.max(most, most - least + 1)
    }
  }
  const anchored = source.startsWith('^') && root.others === 0
  return { repetitions, ways: root.others + root.ways, anchored }
}

function emptyGroup(): Group {
  return { varies: false, ways: 1, others: 0 }
}

/** The repetition written at a place: how long it is written, and how often it may repeat. */
function repetition(source: string, at: number): { length: number; least: number; most: number } | undefined {
  const char = source[at]
  if (char === '*' || char === '+') return { length: 1, least: char === '*' ? 0 : 1, most: Infinity }
  if (char === '?') return { length: 1, least: 0, most: 1 }
  const counted = /^\{(\d+)(,?)(\d*)\}/.exec(source.slice(at, at + 24))
  if (counted === null) return undefined
  const [written, least = '', comma, most = ''] = counted
  const { length } = written
  if (comma === '') return { length, least: Number(least), most: Number(least) }
  return { length, least: Number(least), most: most === '' ? Infinity : Number(most) }
}

function endOfClass(source: string, start: number): number {
  let at = start + 1
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1
  return at
}
