import { readFile } from 'node:fs/promises'
import { errorTable } from 'castellan'
import { expect, test } from 'vitest'
import { errorPage, errorPageUrl } from '../scripts/write-error-page.js'

test('docs/errors.md is what `npm run docs` writes', async () => {
  expect(await readFile(errorPageUrl, 'utf8')).toBe(errorPage())
})

test('every code stands on the page once', () => {
  const page = errorPage()
  for (const code of Object.keys(errorTable)) expect(page.split(`| \`${code}\` |`)).toHaveLength(2)
})
