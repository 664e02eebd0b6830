import { chunk, jsonHead, lastChunk, result, sized } from './answers.js'
import { fault, lastTold, told, type Fault } from './fault.js'

const unsized = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n'
const deep = '['.repeat(40) + ']'.repeat(40)
const malformed = 'unknown: malformed'

export const jsonFaults: readonly Fault[] = [
  lastTold('shorter than its length', 'unknown: lost', ({ id }) => sized(result(id)).slice(0, -5)),
  lastTold('longer than its length', 'result', ({ id }) => `${sized(result(id))}more`),
  lastTold('cut without a length', malformed, ({ id }) => unsized + result(id).slice(0, -3)),
  lastTold('whole without a length', 'result', ({ id }) => unsized + result(id)),
  lastTold('a chunk size that is none', 'unknown: lost', ({ id }) => `${jsonHead}zz\r\n${result(id)}`),
  lastTold('a chunk longer than its size', 'unknown: lost', ({ id }) => `${jsonHead}5\r\n${result(id)}`),
  lastTold('no last chunk', 'unknown: lost', ({ id }) => jsonHead + chunk(result(id))),
  told('several chunks', 'result', ({ id }) => {
    const text = result(id)
    return jsonHead + chunk(text.slice(0, 9)) + chunk(text.slice(9)) + lastChunk
  }),
  told('nothing', malformed, () => sized('')),
  told('not JSON', malformed, () => sized('{"jsonrpc"')),
  told('not an object', malformed, () => sized('[]')),
  told('a batch (WIRE-21)', malformed, ({ id }) => sized(`[${result(id)}]`)),
  fault('not UTF-8 (WIRE-1)', malformed, async (x) => {
    const text = result(x.id, { text: '\xff' })
    await x.write(`${unsized.slice(0, -2)}content-length: ${text.length}\r\n\r\n`)
    await x.write(Buffer.from(text, 'latin1'))
  }),
  told('a byte order mark', 'result', ({ id }) => sized(`\uFEFF${result(id)}`)),
  told('larger than allowed', malformed, ({ id }) => sized(result(id, { x: 'x'.repeat(5_000) }))),
  told('much larger than allowed', malformed, ({ id }) => sized(result(id, { x: 'x'.repeat(5_000_000) }))),
  told('nested too deeply', malformed, ({ id }) => sized(result(id, { x: JSON.parse(deep) }))),
  told('two answers in one', malformed, ({ id }) => sized(result(id) + result(id))),
  lastTold('a second answer unasked', 'result', ({ id }) => sized(result(id)) + sized(result(id))),
]
