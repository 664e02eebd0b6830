import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const policy = readFileSync(join(root, 'SECURITY.md'), 'utf8')
const section = /^## Guarantees\n(.*?)^## /ms.exec(policy)?.[1] ?? ''
const guarantees = Array.from(section.matchAll(/^\| (?!guarantee|---)(.+) \| (.+) \|$/gm), (row) => ({
  guarantee: row[1] ?? '',
  evidence: row[2] ?? '',
}))

/** `test/a.test.ts` A1 "a name", `test/b.test.ts` A2: files with the ids or parts of names that stand in them. */
function evidenceOf(cell: string): { file: string; named: string[] }[] {
  return Array.from(cell.matchAll(/`(test\/[^`]+)`([^`]*)/g), ([, file = '', rest = '']) => ({
    file,
    named: Array.from(rest.matchAll(/"([^"]+)"|([A-Z]+-?\d+)/g), ([, quoted, id]) => quoted ?? id ?? ''),
  }))
}

test('there are guarantees', () => expect(guarantees.length).toBeGreaterThan(30))

test.each(guarantees)('$guarantee', ({ evidence }) => {
  const named = evidenceOf(evidence)
  expect(named.length).toBeGreaterThan(0)
  for (const { file, named: names } of named) {
    expect(existsSync(join(root, file)), file).toBe(true)
    expect(names.length, `${file} without an id or a name`).toBeGreaterThan(0)
    const titles = titlesIn(readFileSync(join(root, file), 'utf8'))
    for (const name of names) expect(mentions(titles, name), `${name} in ${file}`).toBe(true)
  }
})

/** The titles of tests and of groups of tests: texts that stand before a function, or first in a row and begin with an id. */
function titlesIn(source: string): string {
  const titles = source.matchAll(
    /\(\s*(['"`])((?:(?!\1).)*)\1,\s*(?:async )?\(|\(\s*(['"`])((?:[A-Z]+-?\d+ )(?:(?!\3).)*)\3,/g,
  )
  return Array.from(titles, ([, , title, , row]) => title ?? row).join('\n')
}

function mentions(titles: string, name: string): boolean {
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(titles)
}
