import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nestedDeeperThan } from '../../src/protocol/json.js'
import { errorReply, messageKind, parseBody } from '../../src/protocol/message.js'

describe('parseBody', () => {
  test.each([
    '',
    '{',
    '{"a":}',
    'nonsense',
    '{"a":1}{"b":2}',
    '\ufeff{}',
    "{'a':1}",
    '{"a":01}',
    '{"a":NaN}',
  ])('B139 %j is not JSON', (text) =>
    expect(() => parseBody(text)).toThrow(expect.objectContaining({ code: 'ERR_PARSE' })),
  )

  test.each(['[]', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', '"text"', '7', 'true', 'null'])(
    'WIRE-21 B016 %j is not one message',
    (text) => expect(() => parseBody(text)).toThrow(expect.objectContaining({ code: 'ERR_REQUEST' })),
  )

  test('B140 nesting is bounded before anything walks the body', () => {
    const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
    expect(parseBody(deep(63))).toBeDefined()
    expect(() => parseBody(deep(64))).toThrow(expect.objectContaining({ code: 'ERR_REQUEST' }))
    expect(() => parseBody('{"a":'.repeat(100_000))).toThrow(expect.objectContaining({ code: 'ERR_REQUEST' }))
    expect(() => parseBody('['.repeat(1_000_000))).toThrow(expect.objectContaining({ code: 'ERR_REQUEST' }))
  })

  test('brackets inside strings do not nest', () => {
    expect(parseBody(JSON.stringify({ a: '['.repeat(500), b: '\\"[[['.repeat(100) }))).toBeDefined()
  })

  test('the depth scan agrees with the depth of any JSON value', () => {
    const depth = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 8 }), (value, limit) => {
        expect(nestedDeeperThan(JSON.stringify(value), limit)).toBe(depth(value) > limit)
      }),
    )
  })

  test('B070 __proto__ is an ordinary member', () => {
    const body = parseBody('{"__proto__":{"admin":true},"method":"x"}')
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
    expect((body as { admin?: unknown }).admin).toBeUndefined()
  })
})

describe('messageKind', () => {
  test.each([
    [{ jsonrpc: '2.0', id: 1, method: 'x' }, 'request'],
    [{ jsonrpc: '2.0', id: 0, method: 'x' }, 'request'],
    [{ jsonrpc: '2.0', id: '', method: 'x' }, 'request'],
    [{ jsonrpc: '2.0', method: 'x' }, 'notification'],
    [{ jsonrpc: '2.0', id: 9, method: 'notifications/cancelled' }, 'request'],
    [{ jsonrpc: '2.0', id: 1, result: {} }, 'response'],
    [{ jsonrpc: '2.0', id: 1, error: {} }, 'response'],
  ] as const)('B008 B014 %j is a %s', (body, kind) => expect(messageKind(body)).toBe(kind))

  test.each([
    { id: 1, method: 'x' },
    { jsonrpc: '1.0', id: 1, method: 'x' },
    { jsonrpc: 2, id: 1, method: 'x' },
    { jsonrpc: '2.0', id: 1, method: 1 },
    { jsonrpc: '2.0', id: 1, method: null },
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', id: 1, Method: 'x' },
  ])('WIRE-1 B015 %j is refused', (body) =>
    expect(() => messageKind(body)).toThrow(expect.objectContaining({ code: 'ERR_REQUEST' })),
  )
})

describe('errorReply', () => {
  test('WIRE-4 the id is left out when it is unknown, never null', () => {
    expect(JSON.parse(errorReply(undefined, -32700, 'bad'))).toEqual({
      jsonrpc: '2.0',
      error: { code: -32700, message: 'bad' },
    })
  })

  test('WIRE-5 data is there only when given', () => {
    expect(errorReply('"a"', -32602, 'm', { uri: 'x:y' })).toBe(
      '{"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"m","data":{"uri":"x:y"}}}',
    )
  })
})
