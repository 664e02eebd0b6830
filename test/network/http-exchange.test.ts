import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DefinitionError } from '../../src/errors.js'
import { ExchangeError, type HttpAnswer, type HttpExchange } from '../../src/network/http-exchange.js'
import { fetchExchange } from '../../src/network/http-fetch-exchange.js'
import { undiciExchange } from '../../src/network/http-undici-exchange.js'
import { answers, chunk, good, sized, streamHead } from '../client/http/answers.js'
import { exchanges } from '../client/http/exchanges.js'
import { scriptedServer, type Exchange, type ScriptedServer } from '../client/http/scripted-server.js'

const headers = { 'content-type': 'application/json' }
const body = '{"id":"a"}'

async function text(answer: HttpAnswer): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const piece of answer.body) chunks.push(piece)
  return Buffer.concat(chunks).toString()
}

async function failure(sending: Promise<unknown>): Promise<ExchangeError> {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ExchangeError)
  return error as ExchangeError
}

describe.each(exchanges)('$name', ({ make }) => {
  let server: ScriptedServer
  let exchange: HttpExchange

  beforeEach(async () => {
    server = await scriptedServer(good)
    exchange = make(`${server.endpoint}?tenant=a%20b`)
  })

  afterEach(async () => {
    await exchange.close()
    await server.close()
  })

  it('posts to its URL and gives status, fields and body', async () => {
    server.script(answers(() => sized('hello', '418 Teapot', 'text/plain', 'x-a: 1\r\nX-A: 2\r\n')))
    const answer = await exchange.send({ headers, body })
    expect(answer.status).toBe(418)
    expect(answer.header('content-type')).toBe('text/plain')
    expect(answer.header('x-a')).toBe('1, 2')
    expect(answer.header('x-b')).toBeUndefined()
    expect(answer.wwwAuthenticate).toEqual([])
    expect(await text(answer)).toBe('hello')
    expect(server.requests[0]!.head).toMatch(/^POST \/mcp\?tenant=a%20b HTTP/)
  })

  it('knows that nothing was sent to a port where nobody listens', async () => {
    await server.close()
    expect(await failure(exchange.send({ headers, body }))).toMatchObject({ sent: false })
    server = await scriptedServer(good)
  })

  it('knows that nothing was sent to a name nobody has', async () => {
    const nowhere = make('http://nowhere.invalid/mcp')
    expect(await failure(nowhere.send({ headers, body }))).toMatchObject({ sent: false })
    await nowhere.close()
  })

  it('knows that nothing was sent after an abort or a close', async () => {
    const reason = new Error('enough')
    const aborted = exchange.send({ headers, body, signal: AbortSignal.abort(reason) })
    expect(await failure(aborted)).toMatchObject({ sent: false, cause: reason })
    await exchange.close()
    expect(await failure(exchange.send({ headers, body }))).toMatchObject({ sent: false })
    expect(server.requests).toHaveLength(0)
  })

  it('takes a request for sent once it may have been written', async () => {
    server.script((request) => request.reset())
    expect(await failure(exchange.send({ headers, body }))).toMatchObject({ sent: true })
  })

  it('gives an empty body, and lets an answer go twice', async () => {
    server.script(answers(() => 'HTTP/1.1 204 No\r\n\r\n'))
    const answer = await exchange.send({ headers, body })
    expect(await text(answer)).toBe('')
    answer.cancel()
    answer.cancel()
  })

  it('ends the loop over a body that is let go of', async () => {
    server.script(answers(() => streamHead + chunk('a')))
    const answer = await exchange.send({ headers, body })
    for await (const piece of answer.body) {
      expect(Buffer.from(piece).toString()).toBe('a')
      break
    }
    await server.requests[0]!.gone
  })
})

describe('undiciExchange', () => {
  let server: ScriptedServer
  let exchange: HttpExchange

  beforeEach(async () => {
    server = await scriptedServer(good)
    exchange = undiciExchange(server.endpoint, { connections: 1 })
  })

  afterEach(async () => {
    await exchange.close()
    await server.close()
  })

  it('keeps every WWW-Authenticate line apart', async () => {
    const lines = 'www-authenticate: Basic realm="a, b"\r\nWWW-Authenticate: Bearer scope="x"\r\n'
    server.script(answers(() => sized('', '401 No', 'text/plain', lines)))
    const answer = await exchange.send({ headers, body })
    expect(answer.wwwAuthenticate).toEqual(['Basic realm="a, b"', 'Bearer scope="x"'])
  })

  it('uses one connection again and again, also when bodies are let go of', async () => {
    server.script(answers(() => sized('x'.repeat(1_000), '401 No', 'text/plain')))
    const heads = new Set<Promise<unknown>>()
    for (let n = 0; n < 20; n++) (await exchange.send({ headers, body })).cancel()
    for (const request of server.requests) heads.add(request.gone)
    expect(heads.size).toBe(1)
  })

  it('sends nothing when the signal aborts while a connection is waited for (G-101)', async () => {
    let first: Exchange | undefined
    server.script((request) => (first = request))
    const busy = exchange.send({ headers, body })
    while (first === undefined) await setImmediate()
    const controller = new AbortController()
    const queued = failure(exchange.send({ headers, body, signal: controller.signal }))
    controller.abort()
    expect(await queued).toMatchObject({ sent: false, cause: { name: 'AbortError' } })
    await first.write(sized('x'))
    expect(await text(await busy)).toBe('x')
    server.script(answers(() => sized('y')))
    expect(await text(await exchange.send({ headers, body }))).toBe('y')
    expect(server.requests).toHaveLength(2)
  })

  it('gives up waiting for TLS when the signal aborts, and sends nothing (G-101)', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined).resume())
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const tls = undiciExchange(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`)
    const controller = new AbortController()
    const sending = failure(tls.send({ headers, body, signal: controller.signal }))
    await once(silent, 'connection')
    controller.abort()
    expect(await sending).toMatchObject({ sent: false })
    await tls.close()
    silent.close()
  })

  it('knows that nothing was sent when TLS fails', async () => {
    const plain = createServer((socket) => socket.end('HTTP/1.1 400 No\r\n\r\n'))
    await once(plain.listen(0, '127.0.0.1'), 'listening')
    const tls = undiciExchange(`https://127.0.0.1:${(plain.address() as AddressInfo).port}/mcp`)
    expect(await failure(tls.send({ headers, body }))).toMatchObject({ sent: false })
    await tls.close()
    plain.close()
  })
})

describe('fetchExchange', () => {
  it('fails on a redirect when told to', async () => {
    const server = await scriptedServer(
      answers(() => sized('', '307 There', 'text/plain', 'location: /x\r\n')),
    )
    const exchange = fetchExchange(server.endpoint, fetch, { redirect: 'error' })
    expect(await failure(exchange.send({ headers, body }))).toMatchObject({ sent: true })
    expect(server.requests).toHaveLength(1)
    await server.close()
  })
})

describe('an endpoint', () => {
  it.each(['', '/mcp', 'ftp://a/', 'http://user@a/', 'http://:pass@a/', 'https://a/#b'])(
    '%j is refused',
    (endpoint) => {
      expect(() => undiciExchange(endpoint)).toThrow(DefinitionError)
      expect(() => fetchExchange(endpoint, fetch)).toThrow(DefinitionError)
    },
  )
})
