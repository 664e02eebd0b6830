import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineReader } from '../../../src/client/stdio/line-reader.js'

/** The lines of some bytes, cut into chunks at the given places. */
function read(
  bytes: Buffer,
  cuts: readonly number[],
  maxBytes = 1 << 20,
): { lines: string[]; failed: boolean } {
  const reader = new LineReader(maxBytes)
  const places = [...new Set(cuts)].filter((at) => at <= bytes.length).sort((a, b) => a - b)
  const lines: string[] = []
  try {
    for (const [index, start] of [0, ...places].entries()) {
      for (const line of reader.read(bytes.subarray(start, places[index]))) lines.push(line.toString('hex'))
    }
  } catch {
    return { lines, failed: true }
  }
  return { lines, failed: false }
}

const bytes = fc
  .array(fc.oneof(fc.constantFrom('\n', '\r\n', '\r', '', 'é', '漢', '🏰'), fc.string({ unit: 'grapheme' })))
  .map((parts) => Buffer.from(parts.join('')))
const cuts = fc.array(fc.nat(200))

test('B122 the same bytes are the same lines at any chunking', () => {
  fc.assert(
    fc.property(bytes, cuts, (all, places) => {
      const whole = all.toString('latin1').split('\n').slice(0, -1)
      const expected = whole
        .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
        .filter((line) => line !== '')
      expect(read(all, places)).toEqual({
        lines: expected.map((line) => Buffer.from(line, 'latin1').toString('hex')),
        failed: false,
      })
    }),
  )
})

test('B123 a line is too long at any chunking or at none, and lines before it are given', () => {
  fc.assert(
    fc.property(bytes, cuts, fc.integer({ min: 1, max: 30 }), (all, places, limit) => {
      expect(read(all, places, limit)).toEqual(read(all, [], limit))
    }),
  )
})

test('a line of exactly the limit is read, one byte more is not', () => {
  expect(read(Buffer.from('1234\n'), [], 4)).toEqual({
    lines: [Buffer.from('1234').toString('hex')],
    failed: false,
  })
  expect(read(Buffer.from('12345\n'), [2], 4)).toEqual({ lines: [], failed: true })
  expect(read(Buffer.from('12345'), [2], 4)).toEqual({ lines: [], failed: true })
})

test('B123 a byte at a time, a line costs its length and not its square', () => {
  const reader = new LineReader(1 << 22)
  const byte = Buffer.from('x')
  for (let i = 0; i < 1 << 20; i++) reader.read(byte).next()
  const [line] = reader.read(Buffer.from('\n'))
  expect(line?.length).toBe(1 << 20)
})
