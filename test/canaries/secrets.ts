import { randomBytes } from 'node:crypto'

/** Secrets by name, to be found again wherever they come out. */
export interface Secrets {
  /** Anything but a text of 12 characters or more is no secret. */
  add(name: string, value: unknown): void
  /** A key: as text in any encoding, or as tools print bytes. */
  addBytes(name: string, bytes: Uint8Array): void
  readonly names: ReadonlySet<string>
  /** Names of the secrets that a text shows a part of, in one spelling or another. */
  shownBy(text: string): readonly string[]
}

/** A secret that nobody else has. */
export function canary(name: string): string {
  return `${randomBytes(12).toString('base64url')}-canary/${name}+`
}

const part = 16
/** What is shorter could come out by chance. */
const least = 12

export function secretBook(): Secrets {
  /** Spellings by how they begin, so that a text is read once however many there are. */
  const byStart = new Map<string, Set<string>>()
  const nameOf = new Map<string, string>()
  const known = new Set<unknown>()
  const names = new Set<string>()
  return {
    names,
    addBytes(name, bytes) {
      const hex = Buffer.from(bytes).toString('hex')
      for (const encoding of ['base64', 'base64url', 'latin1'] as const)
        this.add(name, Buffer.from(bytes).toString(encoding).replaceAll('.', ''))
      this.add(name, hex)
      this.add(name, hex.match(/../g)?.join(' '))
      for (const between of [',', ', ']) this.add(name, Array.from(bytes).join(between))
    },
    add(name, value) {
      if (typeof value !== 'string' || value.length < least) return
      names.add(name)
      if (known.has(value)) return
      known.add(value)
      for (const spelling of value.split('.').flatMap(spellings)) {
        nameOf.set(spelling, name)
        const start = spelling.slice(0, least)
        byStart.set(start, (byStart.get(start) ?? new Set()).add(spelling))
      }
    },
    shownBy(text) {
      const shown = new Set<string>()
      for (let at = 0; at + least <= text.length; at += 1) {
        for (const spelling of byStart.get(text.slice(at, at + least)) ?? [])
          if (text.startsWith(spelling, at)) shown.add(nameOf.get(spelling) ?? '')
      }
      return [...shown]
    },
  }
}

/** The first and the last characters as they are, in base64 wherever that may have begun, percent-encoded and in hexadecimal. */
function spellings(secret: string): readonly string[] {
  const [first, last] = [secret.slice(0, part), secret.slice(-part)]
  const encoded = [0, 1, 2].map((from) => base64Groups(secret.slice(from, from + part - 1)))
  return [
    ...[first, last],
    ...[first, last].map((each) => encodeURIComponent(each)),
    ...encoded,
    ...encoded.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
    Buffer.from(first).toString('hex'),
  ].filter(({ length }) => length >= least)
}

/** Base64 of whole groups only: the last one would differ with what follows. */
function base64Groups(text: string): string {
  const bytes = Buffer.from(text)
  return bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')
}
