import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Channel } from '../../../src/client/channel.js'
import {
  ConnectionLostError,
  HttpResponseError,
  InternalClientError,
  OutcomeUnknownError,
  RpcError,
} from '../../../src/client/errors.js'
import { httpChannel } from '../../../src/client/http/http-channel.js'
import { DefinitionError } from '../../../src/errors.js'
import { ExchangeError, type HttpExchange } from '../../../src/network/http-exchange.js'
import {
  answers,
  chunk,
  event,
  good,
  lastChunk,
  progress,
  result,
  sized,
  stream,
  streamHead,
} from './answers.js'
import { exchanges } from './exchanges.js'
import { ask, outcome } from './outcome.js'
import { scriptedServer, type ScriptedServer } from './scripted-server.js'

describe.each(exchanges)('a channel over $name', ({ make }) => {
  let server: ScriptedServer
  let channel: Channel

  beforeEach(async () => {
    server = await scriptedServer(good)
    channel = httpChannel({ exchange: make(server.endpoint) })
  })

  afterEach(async () => {
    await channel.close()
    await server.close()
  })

  it('names the status of an answer that tells nothing else', async () => {
    server.script(answers(() => sized('', '503 No')))
    const failure = await channel.request(ask()).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OutcomeUnknownError)
    expect(String(failure)).toContain('The server answered with HTTP status 503; the call may have run')
  })

  it('sends one POST with the headers of the revision (HTTP-6, HTTP-7, HTTP-10)', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    const params = { name: 'echo', arguments: { text: 'Zürich' }, _meta: meta }
    const given = await channel.request(ask({ id: 'a', params, headers: { 'mcp-name': 'echo' } }))
    expect(given).toEqual({ resultType: 'complete', n: 1 })
    const { head, body } = server.requests[0]!
    expect(body).toEqual({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params })
    expect(head).toMatch(/^POST \/mcp HTTP\/1.1\r\n/)
    for (const line of [
      'content-type: application/json',
      'accept: application/json, text/event-stream',
      'mcp-protocol-version: 2026-07-28',
      'mcp-method: tools/call',
      'mcp-name: echo',
    ]) {
      expect(head.split('\r\n')).toContain(line)
    }
    expect(head).not.toMatch(/^(?:mcp-session-id|last-event-id|accept-encoding: (?!identity))/im)
  })

  it.each([
    ['a line break', { 'mcp-name': 'a\r\nx: y' }],
    ['text outside ASCII', { 'mcp-name': 'Zürich' }],
    ['space at the end', { 'mcp-name': 'a ' }],
    ['a name in capitals', { 'Mcp-Name': 'a' }],
    ['a name that is none', { 'mcp name': 'a' }],
    ['a field of the connection', { 'transfer-encoding': 'chunked' }],
  ])('sends nothing with %s in a header (G-100)', async (_name, headers) => {
    expect(await outcome(channel, ask({ headers }))).toBe('internal')
    expect(server.requests).toHaveLength(0)
  })

  it('sends nothing that JSON cannot hold (G-100)', async () => {
    expect(await outcome(channel, ask({ params: { n: 1n } }))).toBe('internal')
    expect(await outcome(channel, ask({ method: 'no\nline' }))).toBe('internal')
    expect(server.requests).toHaveLength(0)
  })

  it('says that nothing was sent when nobody listens (G-102)', async () => {
    await server.close()
    const error = await channel.request(ask()).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConnectionLostError)
    expect((error as Error).cause).toBeDefined()
    server = await scriptedServer(good)
  })

  it('sends nothing once the signal has aborted (G-101)', async () => {
    const reason = new Error('enough')
    await expect(channel.request(ask({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason)
    expect(server.requests).toHaveLength(0)
  })

  it.each([
    ['before the headers', ''],
    ['within the headers', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['within a JSON body', sized(result('x')).slice(0, -9)],
    ['within an error body', sized(result('x'), '400 No').slice(0, -9)],
    ['at the start of a stream', streamHead],
    ['between events', streamHead + chunk(event(progress(1)))],
    ['within an event', `${streamHead}ff\r\ndata: {`],
  ])('leaves the outcome unknown when the signal aborts %s (G-102)', async (_name, text) => {
    const controller = new AbortController()
    const reason = new DOMException('Too long', 'TimeoutError')
    let gone: Promise<unknown> | undefined
    server.script(async (exchange) => {
      gone = exchange.gone
      if (text !== '') await exchange.write(text)
      for (let turn = 0; turn < 5; turn++) await setImmediate()
      controller.abort(reason)
    })
    const error = await channel.request(ask({ signal: controller.signal })).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OutcomeUnknownError)
    expect((error as Error).cause).toBe(reason)
    await gone
    server.script(good)
    expect(await outcome(channel)).toBe('result')
  })

  it('takes any reason of a signal for an abort (G-102)', async () => {
    for (const reason of [new RpcError(1, 'x'), new HttpResponseError(401), 'text', null]) {
      const controller = new AbortController()
      server.script(() => controller.abort(reason))
      const error = await channel
        .request(ask({ signal: controller.signal }))
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(OutcomeUnknownError)
      expect((error as Error).cause).toBe(reason)
    }
  })

  it('keeps no listener on a signal that outlives its requests (B149)', async () => {
    const { signal } = new AbortController()
    for (const script of [
      good,
      answers(({ id }) => stream(event(progress(1)), event(result(id)))),
      answers(() => sized('', '503 No')),
      answers(() => stream(event(progress(1)))),
    ]) {
      server.script(script)
      for (let n = 0; n < 5; n++)
        await outcome(channel, ask({ signal, onNotification: () => setImmediate() }))
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('reads no further while a notification is looked at (G-76)', async () => {
    const order: string[] = []
    server.script(answers(({ id }) => stream(event(progress(1)), event(progress(2)), event(result(id)))))
    await channel.request(
      ask({
        async onNotification({ params }) {
          order.push(`begin ${String(params['progress'])}`)
          for (let turn = 0; turn < 20; turn++) await setImmediate()
          order.push(`end ${String(params['progress'])}`)
        },
      }),
    )
    expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
  })

  it('makes the server wait while a notification is looked at (G-76)', async () => {
    let written = 0
    let look = (): void => undefined
    const looking = new Promise<void>((resolve) => (look = resolve))
    const event64k = chunk(`: ${'x'.repeat(65_536)}\n`)
    server.script(async (exchange) => {
      await exchange.write(streamHead + chunk(event(progress(1))))
      for (let n = 0; n < 400; n++) {
        await Promise.race([exchange.write(event64k), looking])
        written++
      }
      await exchange.write(chunk(event(result(exchange.id))) + lastChunk)
    })
    const before = process.memoryUsage().arrayBuffers
    const given = await channel.request(
      ask({
        async onNotification() {
          let last = -1
          for (let calm = 0; calm < 200; calm = written === last ? calm + 1 : 0) {
            last = written
            await setImmediate()
          }
          expect(written).toBeLessThan(400)
          expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
          look()
        },
      }),
    )
    expect(given).toEqual({ resultType: 'complete', n: 1 })
  })

  it.each([
    [
      'throws',
      (error: Error) => {
        throw error
      },
    ],
    ['rejects', (error: Error) => Promise.reject(error)],
  ])('stops when the receiver of a notification %s (G-78)', async (_name, fail) => {
    for (const reason of [
      new Error('mine'),
      new RpcError(-1, 'of another call'),
      new HttpResponseError(401),
    ]) {
      let gone: Promise<unknown> | undefined
      server.script(async (exchange) => {
        gone = exchange.gone
        await exchange.write(streamHead + chunk(event(progress(1))))
      })
      const error = await channel
        .request(ask({ onNotification: () => fail(reason) }))
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(OutcomeUnknownError)
      expect((error as Error).cause).toBe(reason)
      await gone
    }
  })

  it('does not wait for a receiver once the signal aborts', async () => {
    const controller = new AbortController()
    server.script(answers(({ id }) => stream(event(progress(1)), event(result(id)))))
    const request = ask({
      signal: controller.signal,
      onNotification: () => {
        controller.abort()
        return new Promise<void>(() => undefined)
      },
    })
    await expect(channel.request(request)).rejects.toMatchObject({ cause: { name: 'AbortError' } })
  })

  it('keeps answers of requests under way apart', async () => {
    server.script(async (exchange) => {
      for (let turn = Math.random() * 10; turn > 0; turn--) await setImmediate()
      await exchange.write(sized(result(exchange.id, { id: exchange.id })))
    })
    const requests = Array.from({ length: 100 }, () => ask())
    const given = await Promise.all(requests.map((request) => channel.request(request)))
    expect(given).toEqual(requests.map(({ id }) => ({ id })))
  })

  it('loses what is under way when it is closed, and sends nothing afterwards (B121)', async () => {
    const begun: Promise<unknown>[] = []
    for (const text of ['', sized(result('x')).slice(0, -9), streamHead + chunk(event(progress(1)))]) {
      await new Promise((resolve) => {
        server.script(async (exchange) => {
          if (text !== '') await exchange.write(text)
          resolve(undefined)
        })
        begun.push(outcome(channel))
      })
    }
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    await Promise.all([channel.close(), channel.close()])
    expect(await Promise.all(begun)).toEqual(['unknown: lost', 'unknown: lost', 'unknown: lost'])
    await expect(channel.request(ask())).rejects.toBeInstanceOf(InternalClientError)
    await channel.close()
  })

  it('grows no connections over answers with bodies nobody reads (B120)', async () => {
    server.script(answers(() => sized('x'.repeat(2_000), '401 No', 'text/plain')))
    for (let n = 0; n < 200; n++) expect(await outcome(channel)).toBe('http 401')
    expect(server.open()).toBeLessThanOrEqual(2)
  })
})

describe('a channel over an exchange of ones own', () => {
  const failing = (error: Error): HttpExchange => ({
    send: () => Promise.reject(error),
    close: () => Promise.resolve(),
  })

  it('passes on what the exchange refuses to send', async () => {
    const refusal = new DefinitionError('no consent')
    const channel = httpChannel({ exchange: failing(new ExchangeError(false, refusal)) })
    await expect(channel.request(ask())).rejects.toBe(refusal)
  })

  it('takes any other failure for one after sending (G-102)', async () => {
    const error = new Error('odd')
    await expect(httpChannel({ exchange: failing(error) }).request(ask())).rejects.toMatchObject({
      name: 'OutcomeUnknownError',
      cause: error,
    })
  })

  it('refuses limits that are no positive integers', () => {
    for (const limit of [0, -1, 1.5, Number.NaN, Infinity]) {
      expect(() => httpChannel({ exchange: failing(new Error('unused')), limits: { depth: limit } })).toThrow(
        RangeError,
      )
    }
  })
})
