import { result, sized } from './answers.js'
import { fault, lastTold, told, type Fault } from './fault.js'

const huge = `x: ${'x'.repeat(70_000)}\r\n`
const upgrade = 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'

export const connectionFaults: readonly Fault[] = [
  fault('closed without a word (G-102)', 'unknown: lost', (x) => x.end()),
  fault('reset without a word (G-102)', 'unknown: lost', (x) => x.reset()),
  fault('reset within the headers', 'unknown: lost', async (x) => {
    await x.write('HTTP/1.1 200 OK\r\ncontent-ty')
    x.reset()
  }),
  fault('byte by byte', 'result', async (x) => {
    for (const byte of sized(result(x.id))) await x.write(byte)
  }),
  lastTold('not HTTP', 'unknown: lost', () => 'hello\r\n\r\n'),
  lastTold('headers beyond any size (HTTP-20)', 'unknown: lost', ({ id }) =>
    sized(result(id), '200 OK', 'application/json', huge),
  ),
  told('102 ahead', 'result', ({ id }) => `HTTP/1.1 102 Processing\r\n\r\n${sized(result(id))}`),
  told('103 ahead', 'result', ({ id }) => `HTTP/1.1 103 Early\r\nlink: <x>\r\n\r\n${sized(result(id))}`),
  lastTold('101 unasked', 'unknown: lost', () => upgrade),
]
