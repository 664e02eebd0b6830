/**
 * Parses JSON text and refuses what JSON.parse lets pass: a member name given twice in one object, at any depth
 * and however it is escaped, and members called `__proto__`.
 *
 * Returns undefined for anything else than one JSON object.
 */
export function parseStrictObject(text: string): Record<string, unknown> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return hasAmbiguousMember(text) ? undefined : (value as Record<string, unknown>)
}

/** Walks text that JSON.parse has accepted, so only strings and brackets need attention. */
function hasAmbiguousMember(text: string): boolean {
  const open: (Set<string> | undefined)[] = []
  let nameExpected = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      if (nameExpected && !addName(open.at(-1), text.slice(at, end))) return true
      nameExpected = false
      at = end - 1
    } else if (character === '{' || character === '[') {
      nameExpected = character === '{'
      open.push(nameExpected ? new Set() : undefined)
    } else if (character === '}' || character === ']') {
      open.pop()
      nameExpected = false
    } else if (character === ',') {
      nameExpected = open.at(-1) !== undefined
    }
  }
  return false
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function addName(names: Set<string> | undefined, literal: string): boolean {
  const name = literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1)
  if (names === undefined || names.has(name) || name === '__proto__') return false
  names.add(name)
  return true
}
