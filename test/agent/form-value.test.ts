import { expect, test } from 'vitest'
import { misfit } from '../../src/agent/form-value.js'

const titled = { type: 'string', oneOf: [{ const: 'a', title: 'A' }] }
const several = { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2 }

test.each<[unknown, unknown, boolean]>([
  ['x', { type: 'string' }, true],
  [1, { type: 'string' }, false],
  ['😀😀', { type: 'string', maxLength: 2 }, true],
  ['abc', { type: 'string', maxLength: 2 }, false],
  ['', { type: 'string', minLength: 1 }, false],
  ['a@b', { type: 'string', format: 'email' }, true],
  ['a b', { type: 'string', format: 'email' }, false],
  ['https://a.example', { type: 'string', format: 'uri' }, true],
  ['nowhere', { type: 'string', format: 'uri' }, false],
  ['2028-02-29', { type: 'string', format: 'date' }, true],
  ['2026-02-29', { type: 'string', format: 'date' }, false],
  ['2026-08-22T09:00:00Z', { type: 'string', format: 'date-time' }, true],
  ['2026-08-22', { type: 'string', format: 'date-time' }, false],
  ['2026-08-22T25:00:00Z', { type: 'string', format: 'date-time' }, false],
  ['x', { type: 'string', format: 'unknown' }, true],
  ['a', { type: 'string', enum: ['a'] }, true],
  ['b', { type: 'string', enum: ['a'] }, false],
  ['a', titled, true],
  ['A', titled, false],
  [1, { type: 'integer', minimum: 1, maximum: 2 }, true],
  [1.5, { type: 'integer' }, false],
  [3, { type: 'integer', maximum: 2 }, false],
  [1.5, { type: 'number', minimum: 1 }, true],
  [NaN, { type: 'number' }, false],
  ['1', { type: 'number' }, false],
  [false, { type: 'boolean' }, true],
  ['false', { type: 'boolean' }, false],
  [['a', 'b'], several, true],
  [['c'], several, false],
  [[], several, false],
  [['a', 'b', 'a'], several, false],
  [[1], { type: 'array', items: { type: 'string' } }, false],
  ['a', several, false],
  [['a'], { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, true],
  [{}, { type: 'object' }, false],
  ['x', {}, false],
  ['x', true, false],
])('%j for %j: %s', (value, property, fits) => {
  expect(misfit(value, property) === undefined).toBe(fits)
})
