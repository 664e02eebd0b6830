import { describe, expect, test } from 'vitest'
import { isJsonContent, readAccept } from '../../src/protocol/media-type.js'

describe('isJsonContent', () => {
  test.each([
    ['application/json', true],
    ['Application/JSON', true],
    ['application/json;charset=utf-8', true],
    ['application/json ; charset="utf-8"; x=y', true],
    [undefined, false],
    ['', false],
    ['text/plain', false],
    ['text/plain; a=application/json', false],
    ['application/json\tx', false],
    ['application/jsonp', false],
    ['application/json-rpc', false],
    ['application/json, text/plain', false],
    ['application/x-www-form-urlencoded', false],
  ])('B006 HTTP-8 %j → %s', (header, expected) => expect(isJsonContent(header)).toBe(expected))
})

describe('readAccept', () => {
  test.each([
    [undefined, true, true],
    ['', true, true],
    ['*/*', true, true],
    ['application/json', true, false],
    ['text/event-stream', false, true],
    ['application/json, text/event-stream', true, true],
    ['application/*, text/event-stream', true, true],
    ['application/json;q=0, text/event-stream', false, true],
    ['*/*, application/json;q=0', false, true],
    ['*/*;q=0, application/json', true, false],
    ['application/json;q=0.0, */*;q=0.1', false, true],
    ['application/json;q=0.001', true, false],
    ['text/html', false, false],
    ['APPLICATION/JSON', true, false],
    ['application/json;q=0', false, false],
  ])('B017 HTTP-7 Accept %j: JSON %s, stream %s', (header, json, stream) =>
    expect(readAccept(header)).toEqual({ json, stream }),
  )
})
