import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

interface Line {
  readonly id: string
  readonly claim: string
}

const root = join(import.meta.dirname, '..')
const lines = readFileSync(join(import.meta.dirname, 'failures.md'), 'utf8')
  .split('\n')
  .flatMap((text): Line[] => {
    const [, id, claim] = /^- (B\d{3}) — (.+)$/.exec(text) ?? []
    return id === undefined || claim === undefined ? [] : [{ id, claim }]
  })

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => `B${String(first + index).padStart(3, '0')}`)

/** The failures of the areas server wire, schema, authorization, clients, event streams, programs, tasks and operations. */
const expected = range(1, 156)

test('failures.md has one line for every failure, in order', () => {
  expect(lines.map(({ id }) => id)).toEqual(expected)
})

describe('failures.md', () => {
  test.each(lines)('$id is where it says, or why it is nowhere', ({ id, claim }) => {
    if (!/^(?:as in )?test\//.test(claim)) return
    const [, wider, path = '', name = ''] = /^(as in )?(test\/[\w./-]+\.ts): (.+)$/.exec(claim) ?? []
    if (wider === undefined) expect(name, claim).toContain(id)
    expect(name, claim).not.toBe('')
    expect(readFileSync(join(root, path), 'utf8')).toContain(name)
  })
})
