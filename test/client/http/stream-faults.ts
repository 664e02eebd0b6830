import { chunk, event, progress, result, rpcError, stream, streamHead } from './answers.js'
import { fault, lastTold, told, type Fault } from './fault.js'

const malformed = 'unknown: malformed'
const cut = 'unknown: cut'
const deep = '['.repeat(40) + ']'.repeat(40)
const emoji = Buffer.from('data: {"text":"\u{1F600}"}')

export const streamFaults: readonly Fault[] = [
  told('no event (HTTP-18)', cut, () => stream()),
  told('only progress (B118)', cut, () => stream(event(progress(1))), [1]),
  told('an answer without a blank line (B114)', cut, ({ id }) => stream(`data: ${result(id)}\n`)),
  lastTold('a bad chunk size', cut, () => `${streamHead}${chunk(event(progress(1)))}zz\r\n`, [1]),
  lastTold('no last chunk', cut, () => streamHead + chunk(event(progress(1))), [1]),
  fault('a cut within a character', cut, async (x) => {
    await x.write(`${streamHead}ff\r\n`)
    await x.write(emoji.subarray(0, -4))
    x.end()
  }),
]

/** What comes in an unusual order or number. */
export const orderFaults: readonly Fault[] = [
  told(
    'progress, then the answer',
    'result',
    ({ id }) => stream(event(progress(1)), event(progress(2)), event(result(id))),
    [1, 2],
  ),
  told(
    'progress, then an error (B118)',
    'rpc -32602 of 200',
    ({ id }) => stream(event(progress(1)), event(rpcError(id))),
    [1],
  ),
  told('progress after the answer (HTTP-13)', 'result', ({ id }) =>
    stream(event(result(id)), event(progress(1))),
  ),
  told('two answers', 'result', ({ id }) => stream(event(result(id)), event(rpcError(id)))),
  told(
    'progress twice',
    'result',
    ({ id }) => stream(event(progress(1)), event(progress(1)), event(result(id))),
    [1, 1],
  ),
  told(
    'an unknown notification',
    'result',
    ({ id }) => stream(event('{"jsonrpc":"2.0","method":"new"}'), event(result(id))),
    [undefined],
  ),
  told(
    'an answer on a stream that stays open (CL-5)',
    'result',
    ({ id }) => streamHead + chunk(event(result(id))),
  ),
  fault('an answer on a stream without end (CL-5)', 'result', async (x) => {
    await x.write(streamHead + chunk(event(result(x.id))))
    const gone = x.gone.then(() => 'gone')
    const padding = chunk(`: ${'x'.repeat(9_000)}\n`)
    while ((await Promise.race([gone, x.write(padding)])) !== 'gone');
  }),
]

/** Events that are, or are not, what the protocol allows. */
export const eventFaults: readonly Fault[] = [
  told('bad JSON (G-99)', malformed, ({ id }) => stream(event('{"a'), event(result(id)))),
  told('larger than allowed', malformed, ({ id }) => stream(event(result(id, { x: 'x'.repeat(2_000) })))),
  told('many lines larger than allowed', malformed, () => stream(`data: ${'x'.repeat(200)}\n`.repeat(10))),
  told('a line without end', malformed, () => streamHead + chunk(`data: ${'x'.repeat(5_000)}`)),
  told('nested too deeply', malformed, ({ id }) => stream(event(result(id, { x: JSON.parse(deep) })))),
  told('a method that is no string', malformed, () => stream(event('{"jsonrpc":"2.0","method":1}'))),
  told('a list of parameters', malformed, () => stream(event('{"jsonrpc":"2.0","method":"m","params":[]}'))),
  fault('not UTF-8', malformed, async (x) => {
    await x.write(`${streamHead}9\r\ndata: `)
    await x.write(Buffer.from([0xff, 0x0a, 0x0a]))
  }),
  told('comments, priming and pings (B117, HTTP-15)', 'result', ({ id }) =>
    stream(':\r\n', 'id: 1\ndata:\n\n', 'event: ping\ndata: x\n\n', 'retry: a\n\n', event(result(id))),
  ),
  told('CRLF throughout (B115)', 'result', ({ id }) => stream(event(result(id)).replaceAll('\n', '\r\n'))),
  told('CR throughout (B115)', 'result', ({ id }) => stream(event(result(id)).replaceAll('\n', '\r'))),
  told('several lines (B116)', 'result', ({ id }) =>
    stream(`data:{"jsonrpc":"2.0",\ndata: "id":"${id}",\ndata:"result":{}}\n\n`),
  ),
  told('a byte order mark (B116)', 'result', ({ id }) => stream(`\uFEFF${event(result(id))}`)),
]
