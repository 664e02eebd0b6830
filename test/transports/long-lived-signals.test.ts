import { getEventListeners } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { undiciExchange } from '../../src/network/http-undici-exchange.js'
import { loopbackServer, type LoopbackServer } from '../../src/testing/loopback-server.js'
import { sharedExchange } from '../../src/transports/authorization-code/shared-exchange.js'
import { authorizedFetch } from '../../src/transports/authorized-fetch.js'
import type { Authorizer } from '../../src/transports/authorizer.js'

let server: LoopbackServer
afterEach(() => server.close())

const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' }
/** How much each signal holds: listeners, and what `AbortSignal.any` leaves. */
const held = (...signals: AbortSignal[]) =>
  signals.map((signal) => getEventListeners(signal, 'abort').length + dependants(signal))
function dependants(signal: AbortSignal): number {
  const own = Object.getOwnPropertySymbols(signal).find(
    ({ description }) => description === 'kDependantSignals',
  )
  const set = own && (signal as unknown as Record<symbol, Set<unknown> | undefined>)[own]
  return set?.size ?? 0
}
const text = (response: ServerResponse) => void response.end('{}')
/** An event stream that never ends. */
const stream = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
}

/** The two ways to send that live as long as a transport, with a signal of the caller that lives as long. */
async function setUp(answer: (response: ServerResponse) => unknown) {
  const listener: RequestListener = (request, response) =>
    void request.resume().on('end', () => answer(response))
  server = await loopbackServer(listener)
  const endpoint = `${server.origin}/mcp`
  const authorizer: Authorizer = {
    credentials: async () => ({ headers: { authorization: 'Bearer t' }, issuanceId: 't' }),
    recover: async () => undefined,
    close: async () => undefined,
  }
  const closing = new AbortController()
  const caller = new AbortController()
  const fetched = authorizedFetch(endpoint, authorizer, closing.signal)
  const pool = undiciExchange(endpoint)
  const shared = sharedExchange(pool)
  return {
    ...{ endpoint, closing, caller, shared, pool },
    fetch: (init: RequestInit = {}) => fetched(endpoint, { ...post, signal: caller.signal, ...init }),
    send: () => shared.send({ ...post, signal: caller.signal }),
  }
}

/** Runs `once` this often, fifty at a time. */
async function often(times: number, once: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done += 50) await Promise.all(Array.from({ length: 50 }, once))
  await new Promise((resolve) => setImmediate(resolve))
}

describe('B121 signals that live long', () => {
  test('hold nothing of 5,000 requests that were made', { timeout: 60_000 }, async () => {
    const { fetch, send, caller, closing, pool } = await setUp(text)
    await often(2_500, async () => expect(await (await fetch()).text()).toBe('{}'))
    await often(2_500, async () => {
      let bytes = 0
      for await (const chunk of (await send()).body) bytes += chunk.length
      expect(bytes).toBe(2)
    })
    expect(held(caller.signal, closing.signal)).toEqual([0, 0])
    await pool.close()
  })

  test.each<[string, (response: Response) => unknown]>([
    ['cancelled', async (response) => response.body?.cancel()],
    [
      'cancelled while it is read',
      async ({ body }) => {
        const reader = body!.getReader()
        await reader.read()
        await reader.cancel()
      },
    ],
  ])('hold nothing of a body that was %s', async (_, end) => {
    const { fetch, caller, closing } = await setUp(stream)
    const response = await fetch()
    expect(held(caller.signal, closing.signal)).toEqual([1, 1])
    await end(response)
    await new Promise((resolve) => setImmediate(resolve))
    expect(held(caller.signal, closing.signal)).toEqual([0, 0])
  })

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['without a body', (response) => response.writeHead(204).end()],
    ['that never came', (response) => response.destroy()],
    ['that is a redirect', (response) => response.writeHead(307, { location: '/other' }).end()],
  ])('hold nothing of an answer %s', async (_, answer) => {
    const { fetch, send, caller, closing, pool } = await setUp(answer)
    await fetch().catch(() => undefined)
    await send().then(
      (answered) => answered.cancel(),
      () => undefined,
    )
    expect(held(caller.signal, closing.signal)).toEqual([0, 0])
    await pool.close()
  })

  test.each(['caller', 'closing'] as const)('still stop a body that is being read (%s)', async (which) => {
    const { fetch, ...signals } = await setUp(stream)
    const reader = (await fetch()).body!.getReader()
    expect((await reader.read()).done).toBe(false)
    const reading = reader.read()
    signals[which].abort(new Error('enough'))
    await expect(reading).rejects.toThrow()
    await new Promise((resolve) => setImmediate(resolve))
    expect(held(signals.caller.signal, signals.closing.signal)).toEqual([0, 0])
  })

  test('still stop what one of several owners has under way, and nothing of the others', async () => {
    const { send, shared, pool, caller } = await setUp(stream)
    const other = sharedExchange(pool)
    const [own, others] = [await send(), await other.send(post)]
    const [mine, theirs] = [own.body[Symbol.asyncIterator](), others.body[Symbol.asyncIterator]()]
    await Promise.all([mine.next(), theirs.next()])
    const reading = mine.next()
    await shared.close()
    await expect(reading).rejects.toMatchObject({ code: 'ERR_CLIENT' })
    expect(held(caller.signal)).toEqual([0])
    const rest = theirs.next()
    await other.close()
    await expect(rest).rejects.toMatchObject({ code: 'ERR_CLIENT' })
    await pool.close()
  })

  test('are those of the request, where the caller gives one', async () => {
    const { endpoint, closing } = await setUp(stream)
    const stop = new AbortController()
    const fetched = authorizedFetch(
      endpoint,
      { credentials: async () => undefined, recover: async () => undefined, close: async () => undefined },
      closing.signal,
    )
    const request = new Request(endpoint, { ...post, signal: stop.signal })
    const responses = [
      await fetched(request),
      await fetched(endpoint, new Request(endpoint, { signal: stop.signal })),
    ]
    stop.abort()
    for (const response of responses) await expect(response.text()).rejects.toThrow()
    const free = await fetched(new Request(endpoint, { ...post, signal: stop.signal }), { signal: null })
    await free.body?.cancel()
  })
})
