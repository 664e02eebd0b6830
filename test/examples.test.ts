import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const examples = join(import.meta.dirname, '..', 'examples')
const names = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

test('there are examples', () => expect(names.length).toBeGreaterThan(0))

test.each(names)('examples/%s does what it says', { timeout: 180_000 }, async (name) => {
  const file = join(examples, name, 'check.ts')
  expect(existsSync(file)).toBe(true)
  const { check } = (await import(file)) as { check: () => Promise<void> }
  await check()
})
