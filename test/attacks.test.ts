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

const upTo = (letter: string, last: number) => Array.from({ length: last }, (_, n) => `${letter}${n + 1}`)

test('attacks.md has one line for every attack and every report, in order', () => {
  expect(lines.map(({ id }) => id)).toEqual([...upTo('G', 28), ...upTo('F', 54)])
})

describe('attacks.md', () => {
  test.each(lines)('$id is where it says, or why it is nowhere', ({ id, claim }) => {
    if (!claim.startsWith('test/')) return
    const [, path = '', name = ''] = /^(test\/[\w./-]+\.ts): (.+)$/.exec(claim) ?? []
    expect(name.split(/[^\w]+/), claim).toContain(id)
    expect(readFileSync(join(root, path), 'utf8')).toContain(name)
  })
})
