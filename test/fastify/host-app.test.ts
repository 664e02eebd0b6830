import compress from '@fastify/compress'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import { connect } from 'node:net'
import mcp from 'castellan/fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { meta, modern, post, rawPost, read } from '../wire.js'
import { listenGuarded } from './guarded.js'
import { echo, mirrored, offer, progress } from './notes.js'
import { listen } from './server.js'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function open(...args: Parameters<typeof listen>) {
  const server = await listen(...args)
  closers.push(() => server.app.close())
  return server
}

async function openGuarded(...args: Parameters<typeof listenGuarded>) {
  const server = await listenGuarded(...args)
  closers.push(() => server.stop())
  return server
}

const origin = 'https://app.example.com'
const echoed = modern('tools/call', { name: 'echo', arguments: { text: 'hi' } })

describe('the app around the endpoint', () => {
  test('ordinary routes, parsers and error handlers are untouched', async () => {
    const { app } = await open(offer, (host) => {
      host.post('/notes', async (request) => ({ got: request.body }))
      host.get('/fails', async () => {
        throw new Error('mine')
      })
      host.setErrorHandler(async (error: Error, _request, reply) =>
        reply.code(500).send({ handled: error.message }),
      )
    })
    const created = await app.inject({ method: 'POST', url: '/notes', payload: { a: 1 } })
    expect(created.json()).toEqual({ got: { a: 1 } })
    expect((await app.inject('/fails')).json()).toEqual({ handled: 'mine' })
    expect(
      (
        await app.inject({
          method: 'POST',
          url: '/notes',
          payload: '<x/>',
          headers: { 'content-type': 'text/xml' },
        })
      ).statusCode,
    ).toBe(500)
    expect((await app.inject('/elsewhere')).statusCode).toBe(404)
  })

  test('hooks run in their order, onSend sees JSON and streams', async () => {
    const seen: string[] = []
    const { url } = await open({ tools: [echo, progress] }, (host) => {
      host.addHook('onRequest', async () => void seen.push('onRequest'))
      host.addHook('preHandler', async () => void seen.push('preHandler'))
      host.addHook('onSend', async (_request, reply, payload) => {
        seen.push('onSend')
        void reply.header('x-host', 'yes')
        return payload
      })
      host.addHook('onResponse', async () => void seen.push('onResponse'))
    })
    const json = await post(url, echoed)
    expect(json.headers.get('x-host')).toBe('yes')
    const streamed = await post(
      url,
      modern('tools/call', {
        name: 'progress',
        arguments: { steps: [1] },
        _meta: meta({ progressToken: 1 }),
      }),
    )
    expect(streamed.headers.get('x-host')).toBe('yes')
    expect(streamed.headers.get('content-type')).toBe('text/event-stream')
    await expect
      .poll(() => seen)
      .toEqual([
        ...['onRequest', 'preHandler', 'onSend', 'onResponse'],
        ...['onRequest', 'preHandler', 'onSend', 'onResponse'],
      ])
  })

  test('an error of a host hook goes to the host’s error handler', async () => {
    const { url } = await open(offer, (host) => {
      host.addHook('preHandler', async () => {
        throw new Error('host hook')
      })
      host.setErrorHandler(async (error: Error, _request, reply) =>
        reply.code(502).send({ handled: error.message }),
      )
    })
    expect(await post(url, echoed)).toMatchObject({ status: 502, json: { handled: 'host hook' } })
  })

  test('the host’s logger is the handler’s log, and no query is logged', async () => {
    const lines: string[] = []
    const app = Fastify({
      logger: { level: 'info', stream: { write: (line: string) => void lines.push(line) } },
    })
    await app.register(mcp, { path: '/mcp', name: 'x', version: '1', auth: 'none', ...offer })
    closers.push(() => app.close())
    const headers = { ...echoed.headers, host: 'localhost' }
    await app.inject({
      method: 'POST',
      url: '/mcp?access_token=hush',
      headers,
      payload: JSON.stringify(echoed.body),
    })
    expect(lines.join('')).toContain('"url":"/mcp"')
    expect(lines.join('')).not.toContain('hush')
  })

  test('two servers in one app do not mix', async () => {
    const app = Fastify()
    await app.register(mcp, {
      path: '/a',
      name: 'a',
      version: '1',
      auth: 'none',
      tools: [echo],
      origins: [origin],
    })
    await app.register(mcp, {
      path: '/b',
      name: 'b',
      version: '1',
      auth: 'none',
      tools: [mirrored],
      origins: [origin],
    })
    closers.push(() => app.close())
    for (const [path, tool] of [
      ['/a', 'echo'],
      ['/b', 'mirrored'],
    ] as const) {
      const { body, headers } = modern('tools/list')
      const answer = await app.inject({
        method: 'POST',
        url: path,
        headers: { ...headers, host: 'localhost' },
        payload: JSON.stringify(body),
      })
      expect(answer.json().result.tools.map(({ name }: { name: string }) => name)).toEqual([tool])
    }
  })
})

describe('browsers of listed origins', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers':
        'authorization,mcp-protocol-version,mcp-method,mcp-name,mcp-param-region',
    },
  }

  test('A11 A105 B146 F54 a preflight passes without a token and allows what a call sends', async () => {
    const { url } = await openGuarded({ tools: [mirrored], origins: [origin] })
    const answer = await fetch(url, preflight)
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST')
    expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('mcp-param-region')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('A106 A109 B144 F32 every answer can be read: 200, streams, 400, 401, 403, 413, 415', async () => {
    const server = await openGuarded({ tools: [echo, progress], origins: [origin], bodyLimit: 2000 })
    const bearer = await server.bearer()
    const withOrigin = { ...bearer, origin }
    const answers = await Promise.all([
      post(
        server.url,
        modern('tools/call', { name: 'echo', arguments: { text: 'a' } }, { headers: withOrigin }),
      ),
      post(
        server.url,
        modern(
          'tools/call',
          { name: 'progress', arguments: { steps: [1] }, _meta: meta({ progressToken: 1 }) },
          { headers: withOrigin },
        ),
      ),
      post(server.url, { body: '{', headers: { ...modern('x').headers, ...withOrigin } }),
      post(server.url, modern('tools/list', {}, { headers: { origin } })),
      post(
        server.url,
        modern('tools/list', {}, { headers: { origin, ...(await server.bearer(['other'])) } }),
      ),
      post(server.url, { body: 'x'.repeat(3000), headers: { ...modern('x').headers, ...withOrigin } }),
      post(server.url, { body: 'x', headers: { 'content-type': 'text/plain', ...withOrigin } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 401, 403, 413, 415])
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
      expect(headers.get('vary')).toMatch(/origin/i)
    }
  })

  test('A10 a preflight of another origin is refused', async () => {
    const { url } = await openGuarded({ origins: [origin] })
    const answer = await fetch(url, {
      ...preflight,
      headers: { ...preflight.headers, origin: 'https://evil.example' },
    })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  test.each(['before', 'after'])(
    '@fastify/cors of the host, registered %s, keeps to its own routes',
    async (when) => {
      const app = Fastify()
      const hostCors = { origin: 'https://other.example', exposedHeaders: ['X-Host'] }
      if (when === 'before') await app.register(cors, hostCors)
      await app.register(mcp, {
        path: '/mcp',
        name: 'x',
        version: '1',
        auth: 'none',
        tools: [echo],
        origins: [origin],
      })
      if (when === 'after') await app.register(cors, hostCors)
      app.get('/other', async () => 'ok')
      closers.push(() => app.close())
      const own = await app.inject({ url: '/other', headers: { origin: 'https://other.example' } })
      expect(own.headers['access-control-allow-origin']).toBe('https://other.example')
      const ours = await app.inject({ method: 'OPTIONS', url: '/mcp', headers: preflight.headers })
      expect(ours.headers['access-control-allow-origin']).toBe(origin)
      const called = await app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...echoed.headers, origin, host: 'localhost' },
        payload: JSON.stringify(echoed.body),
      })
      expect(called.headers['access-control-allow-origin']).toBe(origin)
      expect(called.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
    },
  )
})

describe('plugins of the host', () => {
  test('@fastify/rate-limit answers 429 in its own words', async () => {
    const { url } = await open(offer, (host: FastifyInstance) =>
      host.register(rateLimit, { max: 2, timeWindow: 60_000 }),
    )
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await post(url, echoed)).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  test('@fastify/helmet sets its headers on answers and rejections', async () => {
    const server = await openGuarded({}, (host) => host.register(helmet))
    expect((await post(server.url, modern('tools/list'))).headers.get('x-content-type-options')).toBe(
      'nosniff',
    )
    const ok = await post(server.url, modern('tools/list', {}, { headers: await server.bearer() }))
    expect(ok.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('@fastify/under-pressure answers 503 in its own words', async () => {
    const { url } = await open(offer, (host: FastifyInstance) =>
      host.register(underPressure, { maxHeapUsedBytes: 1, sampleInterval: 1, message: 'under pressure' }),
    )
    await expect.poll(async () => (await post(url, echoed)).status).toBe(503)
    expect((await post(url, echoed)).json.message).toBe('under pressure')
  })

  test('@fastify/compress compresses JSON', async () => {
    const { url } = await open(offer, (host: FastifyInstance) => host.register(compress, { threshold: 1 }))
    const { body, headers } = modern('tools/list', {}, { headers: { 'accept-encoding': 'gzip' } })
    const answer = await read(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }))
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.json.result.tools.length).toBeGreaterThan(3)
  })

  test('TRAP-37 @fastify/compress leaves event streams alone, so that progress is seen at once', async () => {
    let proceed: () => void = () => undefined
    const { defineTool } = await import('castellan')
    const { handle } = await import('castellan/fastify')
    const stepwise = handle(defineTool({ name: 'stepwise', description: 'Waits' }), async (_input, ctx) => {
      await ctx.progress({ progress: 1 })
      await new Promise<void>((resolve) => (proceed = resolve))
      return 'done'
    })
    const { port } = await open({ tools: [stepwise] }, (host: FastifyInstance) =>
      host.register(compress, { threshold: 1 }),
    )
    const { body, headers } = modern('tools/call', { name: 'stepwise', _meta: meta({ progressToken: 1 }) })
    const lines = Object.entries({ ...headers, 'accept-encoding': 'gzip' }).map(
      ([name, value]) => `${name}: ${value}`,
    )
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.write(rawPost('/mcp', lines, JSON.stringify(body)))
    await expect.poll(() => received).toContain('notifications/progress')
    proceed()
    await expect.poll(() => received).toContain('"done"')
    socket.destroy()
  })
})
