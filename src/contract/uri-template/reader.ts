import { isWide, type BodyToken, type Capture } from './body.js'
import { readPath, readSegment } from './values.js'

/** The variables read so far, decoded. */
export type Found = [name: string, value: string | readonly string[]][]

/** Reads the part of a URI before its query into `found`; `false` when it is not one of the template. */
export type BodyReader = (text: string, found: Found) => boolean

/**
 * Makes the reader of a laid-out body: what stands after the variable that spans segments is read from the end,
 * what stands before it from the start, so each character is looked at a fixed number of times.
 */
export function bodyReader(tokens: readonly BodyToken[]): BodyReader {
  const index = tokens.findIndex(isWide)
  const wide = tokens[index]
  if (typeof wide !== 'object')
    return (text, found) => readForwards(tokens, text, false, found) === text.length
  const before = tokens.slice(0, index)
  const after = tokens.slice(index + 1)
  return (text, found) => {
    const end = readBackwards(after, text, found)
    if (end === undefined) return false
    const start = readForwards(before, text.slice(0, end), true, found)
    return start !== undefined && keep(wide, text.slice(start, end), found)
  }
}

/** Reads tokens from the start of the text and gives the place after them. Each variable takes as little as it can. */
function readForwards(
  tokens: readonly BodyToken[],
  text: string,
  open: boolean,
  found: Found,
): number | undefined {
  let position = 0
  for (const [index, token] of tokens.entries()) {
    if (typeof token === 'string') {
      if (!text.startsWith(token, position)) return undefined
      position += token.length
      continue
    }
    const next = tokens[index + 1]
    let end = text.length
    if (typeof next === 'string') {
      const isLast = index + 2 === tokens.length && !open
      end = isLast ? text.length - next.length : text.indexOf(next, position + 1)
    } else if (open) {
      const slash = text.indexOf('/', position)
      if (slash !== -1) end = slash
    }
    if (end <= position || !keep(token, text.slice(position, end), found)) return undefined
    position = end
  }
  return position
}

/** Reads tokens from the end of the text and gives the place before them. */
function readBackwards(tokens: readonly BodyToken[], text: string, found: Found): number | undefined {
  let end = text.length
  for (let index = tokens.length - 1; index >= 0; index--) {
    const token = tokens[index] ?? ''
    if (typeof token === 'string') {
      end -= token.length
      if (end < 0 || !text.startsWith(token, end)) return undefined
      continue
    }
    const previous = tokens[index - 1]
    if (typeof previous !== 'string' || end - 1 < previous.length) return undefined
    const at = text.lastIndexOf(previous, end - 1 - previous.length)
    if (at === -1) return undefined
    const start = at + previous.length
    if (!keep(token, text.slice(start, end), found)) return undefined
    end = start
  }
  return end
}

function keep({ name, kind }: Capture, raw: string, found: Found): boolean {
  const value = read(kind, raw)
  if (value === undefined) return false
  found.push([name, value])
  return true
}

function read(kind: Capture['kind'], raw: string): string | readonly string[] | undefined {
  switch (kind) {
    case 'segment':
      return readSegment(raw)
    case 'item':
      return raw.includes(',') ? undefined : readSegment(raw)
    case 'list':
      return readAll(raw.split(','))
    case 'segments':
      if (raw === '') return []
      return raw.startsWith('/') ? readAll(raw.slice(1).split('/')) : undefined
    case 'reserved':
      return readPath(raw)
  }
}

function readAll(items: readonly string[]): readonly string[] | undefined {
  const values: string[] = []
  for (const item of items) {
    const value = readSegment(item)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}
