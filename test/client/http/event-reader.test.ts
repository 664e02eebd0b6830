import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventReader, EventSizeError, type ServerEvent } from '../../../src/client/http/event-reader.js'

/** The algorithm of WHATWG HTML, section 9.2.6, over a whole text. */
function plainly(text: string): ServerEvent[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  lines.pop()
  const events: ServerEvent[] = []
  let data: string[] = []
  let name = ''
  for (const line of lines) {
    if (line === '') {
      if (data.join('\n') !== '') events.push({ name: name === '' ? 'message' : name, data: data.join('\n') })
      data = []
      name = ''
      continue
    }
    const [field, value = ''] = line.includes(':')
      ? [line.split(':')[0], line.slice(line.indexOf(':') + 1)]
      : [line]
    if (field === 'data') data.push(value.replace(/^ /, ''))
    if (field === 'event') name = value.replace(/^ /, '')
  }
  return events
}

function inPieces(text: string, sizes: readonly number[]): ServerEvent[] {
  const reader = new EventReader(10_000)
  const events: ServerEvent[] = []
  let at = 0
  for (let turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length]!
    events.push(...reader.read(text.slice(at, at + size)))
    at += size
  }
  return events
}

const token = fc.constantFrom(
  ...[
    '\r',
    '\n',
    '\r\n',
    '\n\n',
    '\r\r',
    '\r\n\r\n',
    'data',
    'data:',
    'data: x',
    'dat',
    'data:  y',
    ':',
    ' ',
  ],
  ...[
    'event: ping',
    'event',
    'event:',
    'id: 1',
    'id',
    'retry: 5',
    ': comment',
    '\uFEFF',
    'é',
    '\u{1F600}',
    '\0',
  ],
)
const text = fc.array(token, { maxLength: 25 }).map((tokens) => tokens.join(''))
const sizes = fc
  .array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 6 })
  .filter((all) => all.some((n) => n > 0))

describe('EventReader', () => {
  it('reads what the standard says at any chunking (B114, B115, B116)', () => {
    fc.assert(
      fc.property(text, sizes, (stream, pieces) => {
        expect(inPieces(stream, pieces)).toEqual(plainly(stream))
      }),
      { numRuns: 5_000 },
    )
  })

  it('gives an event as soon as its blank line is there, also with CR alone', () => {
    const reader = new EventReader(100)
    expect([...reader.read('data: x\r\r')]).toEqual([{ name: 'message', data: 'x' }])
    expect([...reader.read('\ndata: y\n\n')]).toEqual([{ name: 'message', data: 'y' }])
  })

  it.each([
    ['one line', 'data: ' + 'x'.repeat(101) + '\n\n'],
    ['many lines', 'data: xxxxxxxxx\n'.repeat(11)],
    ['many empty lines', 'data\n'.repeat(103)],
    ['a comment', ':' + 'x'.repeat(200)],
    ['a line without end', 'x'.repeat(200)],
  ])('refuses more than its limit in %s at any chunking', (_name, stream) => {
    for (const size of [1, 7, 1_000]) {
      const reader = new EventReader(100)
      expect(() => {
        for (let at = 0; at < stream.length; at += size) Array.from(reader.read(stream.slice(at, at + size)))
      }).toThrow(EventSizeError)
    }
  })

  it('takes an event of exactly its limit', () => {
    const reader = new EventReader(100)
    expect([...reader.read(`data: ${'x'.repeat(100)}\n\ndata:${'y'.repeat(100)}\n\n`)]).toHaveLength(2)
    expect([...reader.read(`data: ${'x'.repeat(50)}\ndata: ${'x'.repeat(49)}\n\n`)]).toHaveLength(1)
  })

  it('gives what came before the event that is too large', () => {
    const events = new EventReader(10).read(`data: 1\n\ndata: ${'x'.repeat(30)}\n\n`)
    expect(events.next().value).toEqual({ name: 'message', data: '1' })
    expect(() => events.next()).toThrow(EventSizeError)
  })
})
