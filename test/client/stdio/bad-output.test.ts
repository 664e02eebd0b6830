import { afterEach, describe, expect, test } from 'vitest'
import { closeAll, progressing, rejection, scripted, send } from './scripted.js'

afterEach(closeAll)

const raw = (channel: ReturnType<typeof scripted>, text: string, id = 'x') =>
  send(channel, 'raw', { text }, { id })
const good = '{"jsonrpc":"2.0","id":"x","result":{"ok":true}}\n'

describe('B124 what is no message is passed over', () => {
  test.each([
    ['a banner', 'Server started\n'],
    ['blank lines', '\n\r\n\n'],
    ['null', 'null\n'],
    ['a number', '5\n'],
    ['an array', '[{"jsonrpc":"2.0","id":"x","result":{}}]\n'],
    ['half a message', '{"jsonrpc":"2.0","id":"x",\n'],
    ['a log line in JSON', '{"level":30,"method":"GET","id":7,"msg":"request"}\n'],
    ['an object without members', '{}\n'],
    ['an error without an id', '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}\n'],
    ['a notification with an array', '{"jsonrpc":"2.0","method":"notifications/progress","params":[1]}\n'],
    [
      'a notification of nobody',
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"hi"}}\n',
    ],
    ['a byte order mark', '\uFEFF'],
    ['carriage returns', '\r\n'],
  ])('%s', async (_name, text) => {
    expect(await raw(scripted(), text + good)).toEqual({ ok: true })
  })

  test('and shown to whoever wants to see it, cut to a bearable length', async () => {
    const lines: string[] = []
    const channel = scripted({ onStrayLine: (line) => void lines.push(line) })
    await raw(channel, `Server started\n${'y'.repeat(5000)}\nnull\n${good}`)
    expect(lines).toEqual(['Server started', 'y'.repeat(1024), 'null'])
  })

  test('a callback that throws changes nothing', async () => {
    const onStrayLine = () => {
      throw new Error('broken callback')
    }
    expect(await raw(scripted({ onStrayLine }), `banner\n${good}`)).toEqual({ ok: true })
  })
})

describe('an answer that is none', () => {
  test.each([
    ['without result and error', '{"jsonrpc":"2.0","id":"x"}\n'],
    ['with both', '{"jsonrpc":"2.0","id":"x","result":{},"error":{"code":1,"message":"m"}}\n'],
    ['of JSON-RPC 1.0', '{"id":"x","result":{}}\n'],
    ['with a result that is no object', '{"jsonrpc":"2.0","id":"x","result":[]}\n'],
    ['with an error without code', '{"jsonrpc":"2.0","id":"x","error":{"message":"m"}}\n'],
    [
      'with an error with a code that is no integer',
      '{"jsonrpc":"2.0","id":"x","error":{"code":1.5,"message":"m"}}\n',
    ],
    ['with an error without message', '{"jsonrpc":"2.0","id":"x","error":{"code":1}}\n'],
    [
      'nested too deeply',
      `{"jsonrpc":"2.0","id":"x","result":{"a":${'['.repeat(1000)}${']'.repeat(1000)}}}\n`,
    ],
  ])('%s leaves the outcome unknown, and the channel usable', async (_name, text) => {
    const channel = scripted()
    expect(await rejection(raw(channel, text))).toMatchObject({
      name: 'OutcomeUnknownError',
      cause: { name: 'MalformedResponseError' },
    })
    expect(await raw(channel, good)).toEqual({ ok: true })
  })

  test('ST-1 that is not UTF-8 leaves the outcome unknown, and the channel usable', async () => {
    const channel = scripted()
    const bytes = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":"x","result":{"text":"'),
      Buffer.of(0xff, 0xfe),
      Buffer.from('"}}\n'),
    ])
    const failed = rejection(send(channel, 'bytes', { base64: bytes.toString('base64') }, { id: 'x' }))
    expect(await failed).toMatchObject({ cause: { name: 'MalformedResponseError' } })
    expect(await raw(channel, good)).toEqual({ ok: true })
  })
})

test('B122 characters of several bytes survive any cut, CRLF included', async () => {
  const text = 'Grüße, 漢字, 🏰👨‍👩‍👧'
  expect(await send(scripted(), 'dripping', { text })).toEqual({ text })
})

test('B123 a line of 100 MB ends the channel: the outcome is unknown, later requests are not sent', async () => {
  const channel = scripted({ maxLineBytes: 4 * 1024 * 1024 })
  const bystander = rejection(send(channel, 'hold'))
  const failed = await rejection(send(channel, 'long', { megabytes: 100 }))
  for (const error of [failed, await bystander]) {
    expect(error).toMatchObject({
      name: 'OutcomeUnknownError',
      cause: {
        name: 'MalformedResponseError',
        message: 'The server wrote a line of more than 4194304 bytes',
      },
    })
  }
  expect(await rejection(send(channel, 'echo'))).toMatchObject({
    name: 'ConnectionLostError',
    cause: { name: 'MalformedResponseError' },
  })
})

test('a line of 100 MB is read where it is allowed', async () => {
  const channel = scripted({ maxLineBytes: 128 * 1024 * 1024 })
  const { text } = await send(channel, 'long', { megabytes: 100 })
  expect(text).toHaveLength(100 * 1024 * 1024)
})

describe('G-69 WIRE-7 a request by the server', () => {
  const request = '{"jsonrpc":"2.0","id":1,"method":"roots/list"}\n'

  test('fails every operation under way as malformed and tells the server; what comes later is sent', async () => {
    const channel = scripted()
    const { params } = progressing('t')
    const others = [1, 2].map((n) => rejection(send(channel, 'hold', params, { id: `other-${n}` })))
    const failed = await Promise.all([...others, rejection(raw(channel, request, 'asker'))])
    for (const error of failed) {
      expect(error).toMatchObject({
        name: 'OutcomeUnknownError',
        cause: { name: 'MalformedResponseError', message: 'The server sent a request: roots/list' },
      })
    }
    const { seen } = await send(channel, 'seen')
    const told = seen.filter(({ method }: any) => method === 'notifications/cancelled')
    expect(told.map(({ params: { requestId } }: any) => requestId)).toEqual(['other-1', 'other-2', 'asker'])
    expect(seen.filter((message: object) => 'result' in message || 'error' in message)).toEqual([])
  })
})

test('B126 a server may write any amount to stderr; characters stay whole and a throwing callback changes nothing', async () => {
  let text = ''
  const channel = scripted({
    onStderr: (chunk) => {
      text += chunk
      throw new Error('broken callback')
    },
  })
  await send(channel, 'stderr', { length: 512 * 1024 })
  await channel.close()
  expect(text).toBe('é'.repeat(512 * 1024))
})
