import { defineTool } from 'castellan'
import mcp, { handle } from 'castellan/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Channel, ChannelNotification } from '../../src/client/channel.js'
import { injectChannel } from '../../src/testing/inject-channel.js'
import { listenGuarded, type GuardedServer } from '../fastify/guarded.js'
import { meta } from '../wire.js'

let begun: () => void = () => undefined
let stopped: Promise<unknown> = Promise.resolve()

const steps = handle(
  defineTool({ name: 'steps', description: 'Reports', input: z.object({ count: z.number() }) }),
  async ({ count }, { progress }) => {
    for (let step = 1; step <= count; step++) await progress({ progress: step, message: 'é'.repeat(1000) })
    return 'done'
  },
)

const waiting = handle(
  defineTool({ name: 'waiting', description: 'Waits', input: z.object({ aloud: z.boolean() }) }),
  async ({ aloud }, { signal, progress }) => {
    stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
    if (aloud) await progress({ progress: 1 })
    begun()
    await stopped
    return 'stopped'
  },
)

type Extras = { signal?: AbortSignal; onNotification?: (notification: ChannelNotification) => void }
let lastId = 0
const call = (
  channel: Channel,
  name: string,
  args: Record<string, unknown> = {},
  extras: Extras = {},
): Promise<any> =>
  channel.request({
    id: `i-${++lastId}`,
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta({ progressToken: lastId }) },
    headers: { 'mcp-name': name },
    ...extras,
  })
const rejection = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a channel through app.inject', () => {
  let app: FastifyInstance
  let channel: Channel
  const opened: string[] = []
  beforeAll(async () => {
    app = Fastify()
    app.addHook('onRequest', async ({ method, url }) => void opened.push(`${method} ${url}`))
    await app.register(mcp, {
      path: '/mcp',
      name: 'test',
      version: '1',
      auth: 'none',
      tools: [steps, waiting],
    })
    channel = injectChannel(app, { path: '/mcp' })
  })
  afterAll(() => app.close())

  test('passes the hooks of the app and opens no port', async () => {
    expect(await call(channel, 'steps', { count: 0 })).toMatchObject({
      content: [{ type: 'text', text: 'done' }],
    })
    expect(opened).toEqual(['POST /mcp'])
    expect(app.server.listening).toBe(false)
  })

  test('an event stream gives its notifications in order, then the answer', async () => {
    const seen: unknown[] = []
    const onNotification = ({ params }: ChannelNotification) => void seen.push(params['progress'])
    const result = await call(channel, 'steps', { count: 500 }, { onNotification })
    expect(result.content[0].text).toBe('done')
    expect(seen).toEqual(Array.from({ length: 500 }, (_, index) => index + 1))
  })

  test('an error of the protocol is RpcError with the HTTP status it came with', async () => {
    expect(await rejection(call(channel, 'unknown'))).toMatchObject({
      name: 'RpcError',
      rpc: -32602,
      status: 200,
    })
    const method = { id: 'm', method: 'no/such', params: { _meta: meta() }, headers: {} }
    expect(await rejection(channel.request(method))).toMatchObject({
      name: 'RpcError',
      rpc: -32601,
      status: 404,
    })
  })

  test.each([false, true])(
    'an abort stops the handler and leaves the outcome unknown (streaming: %s)',
    async (aloud) => {
      const reached = new Promise<void>((resolve) => (begun = resolve))
      const controller = new AbortController()
      const failed = rejection(call(channel, 'waiting', { aloud }, { signal: controller.signal }))
      await reached
      const reason = new Error('enough')
      controller.abort(reason)
      expect(await failed).toMatchObject({ name: 'OutcomeUnknownError', cause: reason })
      await stopped
    },
  )

  test('G-101 an abort seen before sending sends nothing', async () => {
    const before = opened.length
    const reason = new Error('never mind')
    expect(await rejection(call(channel, 'steps', { count: 1 }, { signal: AbortSignal.abort(reason) }))).toBe(
      reason,
    )
    expect(opened).toHaveLength(before)
  })

  test('closing cuts what is under way and leaves the app alone', async () => {
    const other = injectChannel(app, { path: '/mcp' })
    const reached = new Promise<void>((resolve) => (begun = resolve))
    const failed = rejection(call(other, 'waiting', { aloud: false }))
    await reached
    await other.close()
    await other.close()
    expect(await failed).toMatchObject({ name: 'OutcomeUnknownError' })
    await stopped
    expect(await rejection(call(other, 'steps', { count: 0 }))).toMatchObject({ name: 'InternalClientError' })
    expect(await call(channel, 'steps', { count: 0 })).toMatchObject({ resultType: 'complete' })
  })

  test('closing while the app is asked whether it is ready sends nothing', async () => {
    const before = opened.length
    const closing = injectChannel(app, { path: '/mcp' })
    const lost = rejection(call(closing, 'steps', { count: 1 }))
    await closing.close()
    expect(await lost).toMatchObject({ kind: 'internal' })
    expect(opened.length).toBe(before)
  })

  test('a path nobody serves answers no call', async () => {
    const lost = injectChannel(app, { path: '/elsewhere' })
    expect(await rejection(call(lost, 'steps', { count: 0 }))).toMatchObject({
      name: 'OutcomeUnknownError',
      cause: { name: 'HttpResponseError', status: 404 },
    })
  })
})

describe('through the guard', () => {
  let guarded: GuardedServer
  beforeAll(async () => {
    guarded = await listenGuarded()
  })
  afterAll(() => guarded.stop())

  test('no token is 401, missing scopes are 403, each with its challenge', async () => {
    const nobody = injectChannel(guarded.app, { path: '/mcp' })
    expect(await rejection(call(nobody, 'whoami'))).toMatchObject({
      name: 'HttpResponseError',
      status: 401,
      wwwAuthenticate: [expect.stringContaining('resource_metadata=')],
    })
    const reader = injectChannel(guarded.app, { path: '/mcp', headers: await guarded.bearer(['mcp']) })
    expect(await rejection(call(reader, 'writing'))).toMatchObject({
      name: 'HttpResponseError',
      status: 403,
      wwwAuthenticate: [expect.stringContaining('scope="notes:read notes:write"')],
    })
  })

  test('a good token is let in', async () => {
    const channel = injectChannel(guarded.app, { path: '/mcp', headers: await guarded.bearer([], 'bob') })
    expect((await call(channel, 'whoami')).structuredContent).toMatchObject({ subject: 'bob' })
  })
})

describe('an app that does not start', () => {
  const broken: FastifyInstance[] = []
  afterEach(() => Promise.all(broken.splice(0).map((app) => app.close().catch(() => undefined))))

  test('is a connection that was never there: nothing was sent', async () => {
    const app = Fastify()
    broken.push(app)
    const reason = new Error('no database')
    void app.register(async () => {
      throw reason
    })
    const failed = await rejection(call(injectChannel(app, { path: '/mcp' }), 'any'))
    expect(failed).toMatchObject({ name: 'ConnectionLostError', cause: reason })
  })
})
