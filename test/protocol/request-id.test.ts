import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/protocol/json.js'
import { requestId } from '../../src/protocol/request-id.js'

const idOf = (text: string) => requestId(JSON.parse(text) as JsonObject, text)

describe('requestId', () => {
  test.each([
    ['{"id":1}', '1'],
    ['{"id":0}', '0'],
    ['{"id":-7}', '-7'],
    ['{"id":""}', '""'],
    ['{"id":"é\\u0000\\""}', JSON.stringify('é\u0000"')],
    ['{"id":1e3}', '1000'],
    ['{"id":2.0}', '2'],
    ['{"id":9007199254740991}', '9007199254740991'],
    ['{"id":9007199254740993}', '9007199254740993'],
    ['{"id":-9223372036854775808}', '-9223372036854775808'],
    ['{ "params" : {"id":5, "x":["id"]}, "id" : 18446744073709551615 , "b":1}', '18446744073709551615'],
    ['{"id":9007199254740993,"id":9007199254740995}', '9007199254740995'],
    ['{"\\u0069d":9007199254740993}', '9007199254740993'],
    ['{"a":"\\"id\\":1","id":9007199254740993}', '9007199254740993'],
  ])('G-22 WIRE-4 %s is repeated as %s', (text, id) => expect(idOf(text)).toBe(id))

  test.each(['null', '1.5', '{}', '[1]', 'true', '1e400', '-1e400'])('WIRE-2 B016 id %s is refused', (id) =>
    expect(() => idOf(`{"id":${id}}`)).toThrow(expect.objectContaining({ code: 'ERR_REQUEST' })),
  )

  test('a notification has none', () => expect(idOf('{"method":"x"}')).toBeUndefined())

  test('any integer survives digit for digit, wherever it stands', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.jsonValue(), fc.jsonValue(), (id, before, after) => {
        fc.pre(Number.isFinite(Number(id)))
        const text = `{"before":${JSON.stringify(before)}, "id" :\t${id} ,"after":${JSON.stringify(after)}}`
        expect(idOf(text)).toBe(String(id))
      }),
    )
  })

  test('any string survives', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (id) => {
        expect(JSON.parse(idOf(JSON.stringify({ id }))!)).toBe(id)
      }),
    )
  })
})
