import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHeaderValue, encodeHeaderValue } from '../../src/protocol/header-value.js'

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.string({
    unit: fc.constantFrom(' ', '\t', '=?base64?', '?=', '=', '?', 'é', '\u{1F512}', '\u0000', 'a'),
  }),
)

describe('header values', () => {
  it.each([
    ['dock 4', 'dock 4'],
    ['', ''],
    ['Zürich Süd', '=?base64?WsO8cmljaCBTw7xk?='],
    [' left', '=?base64?IGxlZnQ=?='],
    ['a\tb', '=?base64?YQli?='],
    ['=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
  ])('HDR-40 HDR-41 HDR-42: %j is sent as %j', (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header)
    expect(decodeHeaderValue(header)).toBe(value)
  })

  it.each(['=?base64?abc?=', '=?base64?=', 'tool \u{1F512}', ' edges '])('B003: %j is encoded', (name) => {
    expect(encodeHeaderValue(name)).not.toBe(name)
    expect(decodeHeaderValue(encodeHeaderValue(name))).toBe(name)
  })

  it('B003: every string comes back as it was, through a header Node accepts', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const header = encodeHeaderValue(value)
        expect(header).toMatch(/^[\x20-\x7e]*$/)
        expect(header).toBe(header.trim())
        expect(decodeHeaderValue(header)).toBe(value)
        expect(decodeHeaderValue(` \t${header}\t `)).toBe(value)
      }),
      { numRuns: 2000 },
    )
  })

  it('B003: text with an unpaired surrogate has no header form', () => {
    expect(() => encodeHeaderValue('a\ud800b')).toThrow(expect.objectContaining({ code: 'ERR_HEADER' }))
  })

  it('HDR-8 B005: optional whitespace around a value is not part of it', () => {
    expect(decodeHeaderValue(' \t tools/call\t')).toBe('tools/call')
    expect(decodeHeaderValue(' \t ')).toBe('')
    expect(decodeHeaderValue('=?base64?IGxlZnQ=?= \t')).toBe(' left')
  })

  it.each(['=?BASE64?YQ==?=', 'base64?YQ==?=', '=?base64?YQ==', '=?base64?=', '=?utf-8?YQ==?='])(
    'HDR-43: %j is literal text',
    (header) => expect(decodeHeaderValue(header)).toBe(header),
  )

  it.each([
    ['no padding', 'YQ'],
    ['too much padding', 'YQ==='],
    ['bits left over', 'YR=='],
    ['the URL alphabet', 'Pz8_'],
    ['a space inside', 'YW Jj'],
    ['no Base64', '*'],
    ['not UTF-8', '/w=='],
    ['an overlong form', 'wIA='],
    ['a surrogate', '7aCA'],
  ])('HDR-43 B002: %s is undecodable', (_, encoded) => {
    expect(decodeHeaderValue(`=?base64?${encoded}?=`)).toBeUndefined()
  })

  it('HDR-43: an empty encoded value and a byte order mark are kept', () => {
    expect(decodeHeaderValue('=?base64??=')).toBe('')
    expect(decodeHeaderValue('=?base64?77u/?=')).toBe('\ufeff')
  })

  it.each(['Z\u00fcrich', 'a\u0000b', 'a\u007fb', 'a\rb', '\u00a0a'])('HDR-44: %j is undecodable', (raw) => {
    expect(decodeHeaderValue(raw)).toBeUndefined()
  })
})
