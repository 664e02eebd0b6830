import { describe, expect, test } from 'vitest'
import { schemaValidator, type Validate } from '../../../src/client/schema/schema-validator.js'
import { safePattern } from '../../../src/client/schema/safe-pattern.js'

const judge = async (schema: object) => (await schemaValidator(schema as never)) as Validate

describe('schemas of servers', () => {
  test('B064: draft-07 is honoured where it is named, 2020-12 otherwise', async () => {
    const tuple = { type: 'array', items: [{ type: 'string' }] }
    const seven = await judge({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple })
    expect(seven([5])).toHaveLength(1)
    expect(await schemaValidator(tuple)).toHaveProperty('problem')
    expect((await judge({ prefixItems: [{ type: 'string' }] }))([5])).toHaveLength(1)
  })

  test('B065: local recursion works', async () => {
    const list = await judge({ type: 'object', properties: { next: { $ref: '#' }, v: { type: 'number' } } })
    expect(list({ next: { next: { v: 1 } } })).toEqual([])
    expect(list({ next: { next: { v: 'x' } } })).toMatchObject([{ path: '/next/next/v', constraint: 'type' }])
  })

  test('B066: the same content is compiled once, the same $id is no collision', async () => {
    const first = await judge({ $id: 'urn:a', type: 'string' })
    expect(await judge({ $id: 'urn:a', type: 'string' })).toBe(first)
    const second = await judge({ $id: 'urn:a', type: 'number' })
    expect([first('x').length, second('x').length, second(1).length]).toEqual([0, 1, 0])
  })

  test('SCH-5: a schema that branches without end is given up, not waited for', async () => {
    const step = (to: number) => ({ allOf: [{ $ref: `#/$defs/d${to}` }, { $ref: `#/$defs/d${to}` }] })
    const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`d${at}`, step(at + 1)]))
    const bomb = await judge({ $ref: '#/$defs/d0', $defs: { ...$defs, d60: { type: 'object' } } })
    expect(() => bomb({})).toThrow(RangeError)
    const ring = await judge({ $ref: '#' })
    expect(() => ring({})).toThrow(RangeError)
  })

  test('SCH-5: size and depth are bounded', async () => {
    let deep: object = {}
    for (let count = 0; count < 100; count++) deep = { properties: { a: deep } }
    expect(await schemaValidator(deep as never)).toHaveProperty('problem')
    const wide = { anyOf: Array.from({ length: 6000 }, () => ({})) }
    expect(await schemaValidator(wide)).toHaveProperty('problem')
  })

  test.each(['^(a+)+$', '(x+x+)+y', '^(\\w+)\\1$', '^(a|a)*$', '(?:a*)*b', 'a*a*a*a*a*a*a*b'])(
    'SCH-5: %s is not run into the ground',
    (source) => {
      expect(safePattern(source, 'u').test('a'.repeat(100_000))).toBe(true)
    },
  )

  test.each([
    '^(aa?)+$',
    '^(a?a?)*$',
    `^${'a?'.repeat(40)}${'a'.repeat(40)}$`,
    `^${'a{0,100}'.repeat(6)}b`,
    `^${'(a|a)'.repeat(60)}b`,
    '^x|a*a*a*b',
    `^a*a*${'a{90}'.repeat(20)}b`,
  ])('SCH-5: choices without an unbounded repetition are counted: %s', (source) => {
    const started = performance.now()
    for (const length of [39, 100, 800, 5000]) safePattern(source, 'u').test(`${'a'.repeat(length)}!`)
    expect(performance.now() - started).toBeLessThan(5000)
  })

  test.each([
    [
      'many patterns',
      { patternProperties: patterns(800) },
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${'a'.repeat(2500)}${at}`, 1])),
    ],
    [
      'a long enum many times',
      { items: { enum: [...Array(100_000).keys()] } },
      Array.from({ length: 100_000 }, () => 99_999),
    ],
  ])('SCH-5: the time of one validation is bounded: %s', async (_name, schema, value) => {
    const bomb = await judge(schema)
    expect(() => bomb(value)).toThrow('too long')
  })

  test.each([
    ['^\\d{1,3}(?:,\\d{3})*$', '1,000,000', '1,00'],
    ['^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', '01234567-89ab-4def-8123-456789abcdef', '0123'],
    ['^-?\\d+(?:\\.\\d+)?$', '-1.5', '1.'],
    ['^\\d{4}-\\d{2}$', '2026-01', 'x'],
    ['^[^@]+@[^@]+$', 'a@b', 'ab'],
    ['^[)+*]?(a)$', '+a', 'b'],
    ['^(?:ab){2}$', 'abab', 'ab'],
  ])('ordinary patterns are judged: %s', (source, good, bad) => {
    expect(safePattern(source, 'u').test(good)).toBe(true)
    expect(safePattern(source, 'u').test(bad)).toBe(false)
  })

  test('names that every object of the language inherits are names like others', async () => {
    const judged = await judge({ properties: { constructor: { type: 'string' } }, required: ['toString'] })
    expect(judged({ toString: 1 })).toEqual([])
    expect(judged({})).toHaveLength(1)
    expect(judged({ toString: 1, constructor: 1 })).toHaveLength(1)
  })

  test('uniqueItems compares as JSON', async () => {
    const unique = await judge({ uniqueItems: true })
    expect(
      unique([
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toHaveLength(1)
    expect(unique([1, '1', null, [1]])).toEqual([])
  })
})

function patterns(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`^a*a*b${at}`, true]))
}
