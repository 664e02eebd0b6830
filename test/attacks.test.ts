import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

interface Line {
  readonly id: string
  readonly claim: string
}

const root = join(import.meta.dirname, '..')
const lines = readFileSync(join(import.meta.dirname, 'attacks.md'), 'utf8')
  .split('\n')
  .flatMap((text): Line[] => {
    const [, id, claim] = /^- ([FG]\d+) — (.+)$/.exec(text) ?? []
    return id === undefined || claim === undefined ? [] : [{ id, claim }]
  })

const range = (letter: string, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => `${letter}${first + n}`)

test('attacks.md has one line for every attack and every report, in order', () => {
  expect(lines.map(({ id }) => id)).toEqual([
    ...range('G', 1, 28),
    ...range('G', 40, 66),
    ...range('F', 1, 54),
  ])
})

describe('attacks.md', () => {
  test.each(lines)('$id is where it says, or why it is nowhere', ({ id, claim }) => {
    if (!/^(?:as in )?test\//.test(claim)) return
    const [, wider, path = '', name = ''] = /^(as in )?(test\/[\w./-]+\.ts): (.+)$/.exec(claim) ?? []
    expect(name, claim).not.toBe('')
    if (wider === undefined) expect(name.split(/[^\w]+/), claim).toContain(id)
    expect(readFileSync(join(root, path), 'utf8')).toContain(name)
  })
})
