import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStrictObject } from '../../src/oauth/strict-json.js'

const json = fc.dictionary(
  fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__'),
  fc.jsonValue(),
)

const named = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([name, inner]) => name === '__proto__' || named(inner))

describe('A67 strict JSON', () => {
  it('reads every object JSON.stringify writes exactly as JSON.parse does', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        fc.pre(!named(value))
        const text = JSON.stringify(value, null, indent)
        expect(parseStrictObject(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('refuses any member written twice, at any depth and wherever it stands', () => {
    const path = fc.array(fc.constantFrom('object', 'list'), { maxLength: 5 })
    fc.assert(
      fc.property(
        json,
        fc.string({ unit: 'binary' }),
        fc.jsonValue(),
        path,
        (value, name, other, wrapping) => {
          const members = Object.entries(value).filter(([key]) => key !== name)
          const written = [...members, [name, 1] as const].map(([key, inner]) => member(key, inner))
          const twice = `{${[member(name, other), ...written].join(',')}}`
          const text = wrapping.reduce(
            (inner, kind) => (kind === 'list' ? `[0,${inner}]` : `{"w":${inner}}`),
            twice,
          )
          expect(parseStrictObject(`{"top":${text}}`)).toBeUndefined()
        },
      ),
    )
  })

  const member = (name: string, value: unknown) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`

  it.each([
    ['escaped as \\u0061', '{"a":1,"\\u0061":2}'],
    ['escaped as a solidus', '{"a/b":1,"a\\/b":2}'],
    ['with a list between', '{"a":1,"b":[{"c":1},[2]],"a":2}'],
    ['after a string full of braces', '{"a":"}{,\\"","a":2}'],
    ['inside a list', '{"x":[{"a":1,"a":1}]}'],
    ['__proto__', '{"__proto__":{"admin":true}}'],
    ['__proto__ below', '{"a":[{"__proto__":1}]}'],
    ['an empty name twice', '{"":1,"":2}'],
  ])('refuses %s', (_, text) => {
    expect(JSON.parse(text)).toBeTypeOf('object')
    expect(parseStrictObject(text)).toBeUndefined()
  })

  it.each([
    '{"a":1,"A":2}',
    '{"a":{"a":{"a":[{"a":1},{"a":2}]}}}',
    '{"a":"a","b":"a"}',
    '{"a":["a","a"]}',
    '{}',
  ])('takes %s', (text) => {
    expect(parseStrictObject(text)).toEqual(JSON.parse(text))
  })

  it.each([
    '',
    '[]',
    '"a"',
    'null',
    '1',
    '{',
    '{}x',
    '{a:1}',
    "{'a':1}",
    '{"a":1,}',
    '\ufeff{}',
    '{"a":NaN}',
  ])('refuses %j, which is not one JSON object', (text) => {
    expect(parseStrictObject(text)).toBeUndefined()
  })

  it('G11 survives nesting as deep as a token can hold', () => {
    expect(parseStrictObject(`{"a":${'['.repeat(6_000)}${']'.repeat(6_000)}}`)).toBeDefined()
    expect(parseStrictObject('{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000))).toBeDefined()
  })
})
