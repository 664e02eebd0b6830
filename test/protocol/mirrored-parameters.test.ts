import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkMirrored,
  mirroredHeaders,
  mirroredParameters,
  type MirroredParameter,
} from '../../src/protocol/mirrored-parameters.js'

const schema = {
  type: 'object',
  properties: {
    site: { type: 'string', 'x-mcp-header': 'Site' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    place: { type: 'object', properties: { rush: { type: 'boolean', 'x-mcp-header': 'Rush' } } },
    note: { type: 'string' },
  },
}
const list = listOf(schema)

function listOf(inputSchema: object): readonly MirroredParameter[] {
  const found = mirroredParameters(inputSchema)
  if (typeof found === 'string') throw new Error(found)
  return found
}

function check(args: unknown, headers: Record<string, string>) {
  return checkMirrored(list, args, (name) => headers[name])
}

const one = (property: unknown) => ({ type: 'object', properties: { a: property } })

describe('mirrored parameters of a schema', () => {
  it('HDR-20 HDR-23 B071: annotated properties are found at any depth of properties', () => {
    expect(list).toEqual([
      { header: 'mcp-param-site', name: 'Site', path: ['site'], type: 'string' },
      { header: 'mcp-param-count', name: 'Count', path: ['count'], type: 'integer' },
      { header: 'mcp-param-rush', name: 'Rush', path: ['place', 'rush'], type: 'boolean' },
    ])
    expect(Object.isFrozen(list) && list.every((parameter) => Object.isFrozen(parameter))).toBe(true)
  })

  it('B071: a property that is itself called x-mcp-header is not an annotation', () => {
    expect(listOf({ type: 'object', properties: { 'x-mcp-header': { type: 'string' } } })).toEqual([])
  })

  it.each(['default', 'const', 'examples', 'enum', 'x-anything'])(
    'B071: data inside %s is no annotation',
    (key) => {
      const data = { 'x-mcp-header': 'X' }
      const value = key === 'examples' || key === 'enum' ? [data] : data
      expect(listOf(one({ type: 'object', [key]: value }))).toEqual([])
    },
  )

  it.each([null, '', 'A b', 'A:b', 'ü', 7, {}, 'a\n'])('HDR-21 B071: the name %j is refused', (name) => {
    expect(mirroredParameters(one({ type: 'string', 'x-mcp-header': name }))).toMatch(/not a header name/)
  })

  it('HDR-21 B071: names are unique whatever their case', () => {
    const properties = {
      a: { type: 'string', 'x-mcp-header': 'Region' },
      b: { type: 'string', 'x-mcp-header': 'REGION' },
    }
    expect(mirroredParameters({ type: 'object', properties })).toMatch(/used twice/)
  })

  it.each(['number', 'object', 'array', 'null', undefined, ['string', 'null'], ['string']])(
    'HDR-22 B071: type %j is refused',
    (type) => expect(mirroredParameters(one({ type, 'x-mcp-header': 'A' }))).toMatch(/needs "type"/),
  )

  it.each([
    ['items', one({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } })],
    ['prefixItems', one({ type: 'array', prefixItems: [{ type: 'string', 'x-mcp-header': 'A' }] })],
    ['anyOf', one({ anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] })],
    ['oneOf', { type: 'object', oneOf: [one({ type: 'string', 'x-mcp-header': 'A' })] }],
    ['allOf', { type: 'object', allOf: [one({ type: 'string', 'x-mcp-header': 'A' })] }],
    ['not', { type: 'object', not: one({ type: 'string', 'x-mcp-header': 'A' }) }],
    ['then', { type: 'object', then: one({ type: 'string', 'x-mcp-header': 'A' }) }],
    ['$defs', { type: 'object', $defs: { a: { type: 'string', 'x-mcp-header': 'A' } } }],
    [
      'additionalProperties',
      { type: 'object', additionalProperties: { type: 'string', 'x-mcp-header': 'A' } },
    ],
    [
      'patternProperties',
      { type: 'object', patternProperties: { a: { type: 'string', 'x-mcp-header': 'A' } } },
    ],
    [
      'dependentSchemas',
      { type: 'object', dependentSchemas: { a: one({ type: 'string', 'x-mcp-header': 'A' }) } },
    ],
    ['the root', { type: 'object', 'x-mcp-header': 'A' }],
  ])('HDR-23 B071: an annotation under %s invalidates the tool', (_, inputSchema) => {
    expect(mirroredParameters(inputSchema)).toMatch(/not on a property/)
  })

  it('SCH-5: a schema of unbounded depth is refused, not walked', () => {
    let deep: object = { type: 'string', 'x-mcp-header': 'A' }
    for (let depth = 0; depth < 5000; depth++) deep = one(deep)
    expect(mirroredParameters(deep)).toMatch(/too large/)
  })
})

describe('mirrored headers of a call', () => {
  const args = { site: 'Zürich', count: 42, place: { rush: false } }
  const headers = {
    'mcp-param-site': '=?base64?WsO8cmljaA==?=',
    'mcp-param-count': '42',
    'mcp-param-rush': 'false',
  }

  it('HDR-27 HDR-40 HDR-41: a client sends what is annotated and nothing else', () => {
    expect(mirroredHeaders(list, { ...args, note: 'x' })).toEqual(headers)
    expect(mirroredHeaders(list, { site: '', count: 0, place: null })).toEqual({
      'mcp-param-site': '',
      'mcp-param-count': '0',
    })
    expect(mirroredHeaders(list, undefined)).toEqual({})
  })

  it.each([{ site: {} }, { site: ['a'] }, { count: 2 ** 53 }, { count: Infinity }, { site: '\ud800' }])(
    'HDR-22: a client refuses %j before sending',
    (bad) => {
      expect(() => mirroredHeaders(list, bad)).toThrow(expect.objectContaining({ code: 'ERR_HEADER' }))
    },
  )

  it('HDR-29: equal headers pass, missing and different ones do not', () => {
    expect(check(args, headers)).toBeUndefined()
    expect(check(args, { ...headers, 'mcp-param-site': 'Zurich' })).toBe(
      'Mcp-Param-Site does not match arguments.site',
    )
    expect(check({ ...args, place: { rush: true } }, headers)).toMatch(/Mcp-Param-Rush/)
    expect(check({ site: 'a' }, {})).toBe('Mcp-Param-Site is missing, but the body has arguments.site')
  })

  it('HDR-29 B071: null and absent arguments expect no header', () => {
    expect(check({ site: null }, {})).toBeUndefined()
    expect(check({}, {})).toBeUndefined()
    expect(check(undefined, {})).toBeUndefined()
  })

  it.each([{}, { site: null }, undefined, [], { place: [] }])(
    'HDR-31: a header without an argument, %j',
    (body) => {
      expect(check(body, { 'mcp-param-site': '' })).toMatch(/the body has no arguments.site/)
    },
  )

  it.each(['42', '42.0', '42.000', '4.2e1', '420E-1', '0.042e3', ' 42 '])('HDR-30: %j is 42', (raw) => {
    expect(check({ count: 42 }, { 'mcp-param-count': raw })).toBeUndefined()
  })

  it.each([
    '42.00000000000000000001',
    '042',
    '+42',
    '0x2a',
    '',
    '42,42',
    '4 2',
    '-42',
    '42.',
    '1e999',
    'NaN',
  ])('HDR-30: %j is not 42', (raw) =>
    expect(check({ count: 42 }, { 'mcp-param-count': raw })).toMatch(/does not match/),
  )

  it('HDR-30: zero has a sign nobody minds', () => {
    for (const raw of ['0', '-0', '0.0', '0e5'])
      expect(check({ count: 0 }, { 'mcp-param-count': raw })).toBeUndefined()
    expect(check({ count: -0 }, { 'mcp-param-count': '0' })).toBeUndefined()
  })

  it.each([2 ** 53, -(2 ** 53), JSON.parse('1e400'), 1e21])('B004: the integer %s never agrees', (count) => {
    expect(check({ count }, {})).toMatch(/is missing/)
    for (const raw of [String(count), 'abc', '', '9007199254740992']) {
      expect(check({ count }, { 'mcp-param-count': raw })).toMatch(/does not match/)
    }
  })

  it('B004: an argument no header can carry is not taken for an absent one', () => {
    expect(check({ site: {} }, {})).toMatch(/is missing/)
    expect(check({ site: {} }, { 'mcp-param-site': '[object Object]' })).toMatch(/does not match/)
  })

  it('HDR-43 HDR-44: undecodable headers are mismatches', () => {
    expect(check({ site: 'Zürich' }, { 'mcp-param-site': 'Zürich' })).toMatch(/does not match/)
    expect(check({ site: 'a' }, { 'mcp-param-site': '=?base64?YQ?=' })).toMatch(/does not match/)
  })

  it('B070: inherited members are never read', () => {
    const odd = listOf({
      type: 'object',
      properties: JSON.parse(
        '{"__proto__":{"type":"string","x-mcp-header":"P"},"constructor":{"type":"string","x-mcp-header":"C"}}',
      ) as object,
    })
    expect(odd.map(({ name }) => name)).toEqual(['P', 'C'])
    expect(checkMirrored(odd, {}, () => undefined)).toBeUndefined()
    expect(mirroredHeaders(odd, JSON.parse('{"__proto__":"x"}'))).toEqual({ 'mcp-param-p': 'x' })
  })

  it('HDR-27 HDR-29: what a client sends always passes', () => {
    const value = fc.record(
      {
        site: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(null, '', ' ', '=?base64??=')),
        count: fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constant(null)),
        place: fc.record({ rush: fc.boolean() }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(value, (input) => {
        const sent = mirroredHeaders(list, input)
        const received = JSON.parse(JSON.stringify(input)) as unknown
        expect(checkMirrored(list, received, (name) => sent[name])).toBeUndefined()
      }),
      { numRuns: 1000 },
    )
  })
})
