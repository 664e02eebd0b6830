import { undiciExchange } from '../../src/network/http-undici-exchange.js'
import { loopbackServer, type LoopbackServer } from '../../src/testing/loopback-server.js'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { HttpResponseError, httpCaller, OutcomeUnknownError } from 'castellan/client'
import { InsufficientScopeError, InvalidTokenError, type ClientTransport } from 'castellan/transports'
import { authorizedTransport } from '../../src/transports/authorized-transport.js'
import type { Authorizer, Refusal } from '../../src/transports/authorizer.js'

interface Seen {
  readonly token: string | undefined
  readonly body: string
}

let server: LoopbackServer
let transport: ClientTransport
afterEach(async () => {
  await transport.close()
  await server.close()
})

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

/** A transport with tokens `t1`, `t2`, … before a server that answers its n-th request with the n-th answer. */
async function setUp(answers: readonly Answer[], tokens: Partial<Authorizer> = {}) {
  const seen: Seen[] = []
  const refusals: Refusal[] = []
  server = await loopbackServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const token = request.headers.authorization?.split(' ')[1]
      seen.push({ token, body: Buffer.concat(chunks).toString() })
      answers[Math.min(seen.length, answers.length) - 1]!(response, request)
    })
  })
  const endpoint = `${server.origin}/mcp`
  const credentials = (id: string) => ({ headers: { authorization: `Bearer ${id}` }, issuanceId: id })
  const authorizer: Authorizer = {
    credentials: async () => credentials('t1'),
    recover: async (refusal) => {
      refusals.push(refusal)
      return credentials('t2')
    },
    close: async () => undefined,
    ...tokens,
  }
  const exchange = undiciExchange(endpoint)
  transport = authorizedTransport({ endpoint, authorizer, extension: 'x', exchange, release: async () => {} })
  return { seen, refusals, endpoint }
}

const refuse =
  (status: number, challenge?: string): Answer =>
  (response) =>
    response.writeHead(status, challenge === undefined ? {} : { 'www-authenticate': challenge }).end()
const fine: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}
const post = { headers: { 'content-type': 'application/json' }, body: '{"a":1}' }

/** Both faces, told as status or as the code of an error. */
const faces = {
  exchange: async (): Promise<unknown> => {
    const answer = await transport.exchange
      .send(post)
      .catch((error: unknown) => (error as Error).cause as Error)
    return answer instanceof Error ? ('code' in answer ? answer.code : answer.name) : answer.status
  },
  fetch: async (): Promise<unknown> => {
    const answer = await transport
      .fetch(transport.endpoint, { method: 'POST', ...post })
      .catch((error: unknown) => error as Error)
    return answer instanceof Error ? ('code' in answer ? answer.code : answer.name) : answer.status
  },
}

describe.each(['exchange', 'fetch'] as const)('the %s face', (face) => {
  test.each([
    ['401 without a challenge', 401, undefined],
    ['401 without an error', 401, 'Bearer'],
    ['401 invalid_token', 401, 'Bearer error="invalid_token"'],
    ['401 insufficient_scope', 401, 'Bearer error="insufficient_scope", scope="a"'],
    ['403 insufficient_scope', 403, 'Basic realm="x", Bearer error="insufficient_scope", scope="a b"'],
  ])('B7 B12 sends the same bytes once more after %s', async (_, status, challenge) => {
    const { seen, refusals } = await setUp([refuse(status, challenge), fine])
    expect(await faces[face]()).toBe(200)
    expect(seen).toEqual([
      { token: 't1', body: post.body },
      { token: 't2', body: post.body },
    ])
    expect(refusals).toMatchObject([{ status, sent: { issuanceId: 't1' } }])
  })

  test.each([
    [401, 'Bearer error="invalid_request"'],
    [401, 'Bearer error="something_else"'],
    [403, undefined],
    [403, 'Bearer'],
    [403, 'Bearer error="invalid_token"'],
    [403, 'Bearer error="insufficient_scope"'],
    [403, 'Basic realm="Bearer error=insufficient_scope, scope=a"'],
    [400, 'Bearer error="insufficient_scope", scope="a"'],
    [404, undefined],
    [500, undefined],
    [503, undefined],
    [503, 'Bearer error="invalid_token"'],
  ])('B8 B9 B12 G58 answers %i with %j as it is, once', async (status, challenge) => {
    const { seen, refusals } = await setUp([refuse(status, challenge)])
    expect(await faces[face]()).toBe(status)
    expect(seen).toHaveLength(1)
    expect(refusals).toEqual([])
  })

  test.each([
    [401, 'Bearer error="invalid_token"', 'ERR_INVALID_TOKEN'],
    [403, 'Bearer error="insufficient_scope", scope="a b"', 'ERR_INSUFFICIENT_SCOPE'],
  ])('B7 F25 a second %i is final', async (status, challenge, code) => {
    const { seen } = await setUp([refuse(status, challenge)])
    expect(await faces[face]()).toBe(face === 'exchange' ? code : status)
    expect(seen.map(({ token }) => token)).toEqual(['t1', 't2'])
  })

  test.each([
    [401, 'Bearer error="invalid_token"', 'ERR_INVALID_TOKEN'],
    [403, 'Bearer error="insufficient_scope", scope="a b"', 'ERR_INSUFFICIENT_SCOPE'],
  ])('B10 F28 a refusal that nothing lifts is told as it is: %i', async (status, challenge, code) => {
    const { seen } = await setUp([refuse(status, challenge)], { recover: async () => undefined })
    expect(await faces[face]()).toBe(face === 'exchange' ? code : status)
    expect(seen).toHaveLength(1)
  })

  test('B8 a connection that ends before the answer is not asked again', async () => {
    const { seen } = await setUp([(response) => response.destroy()])
    await faces[face]()
    expect(seen).toHaveLength(1)
  })

  test('B1 G56 a redirect is never followed, so that the token goes nowhere else', async () => {
    const other: string[] = []
    const elsewhere = await loopbackServer((request, response) => {
      other.push(request.url ?? '')
      response.end()
    })
    const { seen } = await setUp([
      (response) => response.writeHead(307, { location: elsewhere.origin }).end(),
    ])
    expect(await faces[face]()).toBe(face === 'exchange' ? 307 : 'TypeError')
    expect(seen).toHaveLength(1)
    expect(other).toEqual([])
    await elsewhere.close()
  })

  test.each(['authorization', 'proxy-authorization', 'dpop'])(
    'B1 a request with its own %s is refused unsent',
    async (name) => {
      const { seen } = await setUp([fine])
      const headers = { ...post.headers, [name]: 'canary' }
      const sent =
        face === 'exchange'
          ? transport.exchange
              .send({ ...post, headers })
              .catch((error: unknown) => Promise.reject((error as Error).cause as Error))
          : transport.fetch(transport.endpoint, { method: 'POST', body: post.body, headers })
      const error: unknown = await sent.catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'ERR_CLIENT' })
      expect(String(error)).not.toContain('canary')
      expect(seen).toEqual([])
    },
  )

  test('B2 without a token nothing is sent, and the caller gets the reason itself', async () => {
    const reason = new Error('the key service is down')
    const { seen } = await setUp([fine], { credentials: () => Promise.reject(reason) })
    const sent = face === 'exchange' ? transport.exchange.send(post) : transport.fetch(transport.endpoint)
    const error = await sent.catch((failure: unknown) => failure)
    expect(face === 'exchange' ? (error as Error).cause : error).toBe(reason)
    expect(seen).toEqual([])
  })

  test('B4 an open server gets plain requests', async () => {
    const { seen } = await setUp([fine], { credentials: async () => undefined })
    expect(await faces[face]()).toBe(200)
    expect(seen).toEqual([{ token: undefined, body: post.body }])
  })

  test('a closed transport sends nothing', async () => {
    const { seen } = await setUp([fine])
    await transport.close()
    await transport.close()
    await faces[face]()
    expect(seen).toEqual([])
  })
})

describe('the fetch face', () => {
  test.each([
    'https://127.0.0.1/mcp',
    'http://127.0.0.1:1/mcp',
    (endpoint: string) => `${endpoint}/`,
    (endpoint: string) => `${endpoint}?a`,
    (endpoint: string) => endpoint.replace('/mcp', '/Mcp'),
  ])('B1 refuses any URL but its own (%#)', async (other) => {
    const { seen, endpoint } = await setUp([fine])
    const url = typeof other === 'string' ? other : other(endpoint)
    await expect(transport.fetch(url)).rejects.toMatchObject({ code: 'ERR_CLIENT' })
    await expect(transport.fetch(new Request(url))).rejects.toMatchObject({ code: 'ERR_CLIENT' })
    expect(seen).toEqual([])
  })

  test('B7 repeats bytes as they were when the request was made', async () => {
    const { seen } = await setUp([refuse(401), fine])
    const bytes = new TextEncoder().encode('first')
    const sent = transport.fetch(transport.endpoint, { method: 'POST', body: bytes })
    bytes.fill(120)
    expect((await sent).status).toBe(200)
    expect(seen.map(({ body }) => body)).toEqual(['first', 'first'])
  })

  test.each([
    ['a stream', () => ({ body: new Blob(['streamed']).stream(), duplex: 'half' as const })],
    ['a blob', () => ({ body: new Blob(['streamed']) })],
  ])('B7 sends %s once, and answers its refusal as it is', async (_, body) => {
    const { seen, refusals } = await setUp([refuse(401), fine])
    const answer = await transport.fetch(transport.endpoint, { method: 'POST', ...body() })
    expect(answer.status).toBe(401)
    expect(seen).toEqual([{ token: 't1', body: 'streamed' }])
    expect(refusals).toEqual([])
  })

  test('takes GET, DELETE and Request objects, keeps headers and the signal', async () => {
    const { seen } = await setUp([refuse(401), (response, request) => response.end(request.headers['x-own'])])
    const request = new Request(transport.endpoint, { method: 'DELETE', headers: { 'x-own': 'kept' } })
    expect(await (await transport.fetch(request)).text()).toBe('kept')
    expect(seen.map(({ token }) => token)).toEqual(['t1', 't2'])
    const signal = AbortSignal.abort(new Error('not wanted'))
    await expect(transport.fetch(transport.endpoint, { signal })).rejects.toThrow('not wanted')
    expect(seen).toHaveLength(2)
  })
})

describe('a caller over a transport', () => {
  const caller = () => httpCaller({ clientInfo: { name: 'c', version: '1' }, transport })
  const call = () => caller().request('notes/write')
  const request = () => caller().request('server/discover')

  test('B14 F28 gets refusals as what they are', async () => {
    await setUp([refuse(403, 'Bearer error="insufficient_scope", scope="a b"')])
    const error = await request().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(InsufficientScopeError)
    expect(error).toMatchObject({ required: ['a', 'b'] })
  })

  test('B14 gets a final 401 as InvalidTokenError, any other one as HTTP', async () => {
    await setUp([refuse(401)])
    await expect(request()).rejects.toBeInstanceOf(InvalidTokenError)
    await transport.close()
    await server.close()
    await setUp([refuse(401, 'Bearer error="invalid_request"')])
    await expect(request()).rejects.toBeInstanceOf(HttpResponseError)
  })

  test('B2 gets what kept the request from being sent itself, never an unknown outcome', async () => {
    const reason = new Error('the key service is down')
    await setUp([fine], { credentials: () => Promise.reject(reason) })
    await expect(call()).rejects.toBe(reason)
  })

  test('B8 G57 a lost answer stays an unknown outcome', async () => {
    const { seen } = await setUp([(response) => response.destroy()])
    await expect(call()).rejects.toBeInstanceOf(OutcomeUnknownError)
    expect(seen).toHaveLength(1)
  })

  test('B121 stops waiting for a token when its signal aborts', async () => {
    const controller = new AbortController()
    const { seen } = await setUp([fine], {
      credentials: (signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error))
          controller.abort(new Error('not wanted'))
        }),
    })
    await expect(caller().request('server/discover', {}, { signal: controller.signal })).rejects.toThrow(
      'not wanted',
    )
    expect(seen).toEqual([])
  })

  test('C1 declares the extension of its transport', async () => {
    const { seen } = await setUp([fine])
    await request().catch(() => undefined)
    const meta = JSON.parse(seen[0]!.body).params._meta
    expect(meta['io.modelcontextprotocol/clientCapabilities']).toEqual({ extensions: { x: {} } })
  })
})
