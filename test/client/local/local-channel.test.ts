import { defineTool } from 'castellan'
import { handle } from 'castellan/fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Channel, ChannelNotification } from '../../../src/client/channel.js'
import { localChannel, type LocalServer } from '../../../src/client/local/local-channel.js'
import type { HandlerContext } from '../../../src/contract/context.js'
import type { McpServer, ServerOptions } from '../../../src/server/server.js'
import { principal, server } from '../../server/harness.js'
import { meta } from '../../wire.js'

let lastId = 0
const call = (
  channel: Channel,
  name: string,
  args: Record<string, unknown> = {},
  extras: { signal?: AbortSignal; onNotification?: (notification: ChannelNotification) => unknown } = {},
): Promise<any> =>
  channel.request({
    id: `l-${++lastId}`,
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta({ progressToken: `p-${lastId}` }) },
    headers: {},
    ...(extras as object),
  })
const rejection = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

type Run = (input: Record<string, unknown>, context: HandlerContext) => unknown

const tool = (name: string, run: Run, extra: object = {}) =>
  handle(defineTool({ name, description: name, input: z.looseObject({}), ...extra }), run as never)

const over = (tools: ServerOptions['tools'], options: Partial<ServerOptions> = {}) =>
  localChannel({ server: server({ tools: tools ?? [], ...options }) })

test('a server of the framework is what a local channel takes', () => {
  const taken: LocalServer = server() satisfies McpServer
  expect(taken).toBeDefined()
})

test('answers come back with what they hold', async () => {
  const channel = over([tool('echo', (input) => JSON.stringify(input))])
  expect(await call(channel, 'echo', { a: [1, 'é'] })).toMatchObject({
    resultType: 'complete',
    content: [{ type: 'text', text: '{"a":[1,"é"]}' }],
  })
})

test('the principal and the values of the URL reach the handler', async () => {
  const seen = tool('seen', (_input, { principal: who, route }) => `${who?.subject} ${route['organization']}`)
  const channel = localChannel({
    server: server({
      authenticated: true,
      tools: [seen],
      route: z.object({ organization: z.string() }),
    }),
    principal: principal([], 'bob'),
    route: { organization: 'castle' },
  })
  expect((await call(channel, 'seen')).content[0].text).toBe('bob castle')
})

test('G-102 missing scopes are HTTP 403 with their challenge, known and not run', async () => {
  let ran = false
  const guarded = tool('guarded', () => ((ran = true), ''), { scopes: ['notes:read', 'notes:write'] })
  const channel = localChannel({
    server: server({ authenticated: true, tools: [guarded] }),
    principal: principal(['notes:read']),
  })
  expect(await rejection(call(channel, 'guarded'))).toMatchObject({
    name: 'HttpResponseError',
    status: 403,
    wwwAuthenticate: ['Bearer error="insufficient_scope", scope="notes:read notes:write"'],
  })
  expect(ran).toBe(false)
})

test('an error of the protocol is RpcError', async () => {
  expect(await rejection(call(over([]), 'nothing'))).toMatchObject({ name: 'RpcError', rpc: -32602 })
})

test('progress comes in order, one at a time, all before the answer, and a handler may wait for it', async () => {
  const order: string[] = []
  const channel = over([
    tool('steps', async (_input, { progress }) => {
      void progress({ progress: 1 })
      void progress({ progress: 2 })
      await progress({ progress: 3 })
      order.push('handler goes on')
      void progress({ progress: 4 })
      return ''
    }),
  ])
  await call(
    channel,
    'steps',
    {},
    {
      onNotification: async ({ method, params }) => {
        await new Promise((resolve) => setImmediate(resolve))
        order.push(`${method} ${String(params['progress'])} ${String(params['progressToken'])}`)
      },
    },
  )
  const step = (value: number) => `notifications/progress ${value} p-${lastId}`
  expect(order).toEqual([step(1), step(2), step(3), 'handler goes on', step(4)])
})

test('B121 G-101 an aborted signal prevents the call; a later abort makes the outcome unknown and stops the handler', async () => {
  let runs = 0
  let stopped: Promise<unknown> = Promise.resolve()
  let begun: () => void = () => undefined
  const running = new Promise<void>((resolve) => (begun = resolve))
  const channel = over([
    tool('waiting', async (_input, { signal }) => {
      runs++
      stopped = new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.aborted)))
      begun()
      await stopped
      return 'late'
    }),
  ])
  const reason = new Error('enough')
  expect(await rejection(call(channel, 'waiting', {}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(runs).toBe(0)
  const controller = new AbortController()
  const failed = rejection(call(channel, 'waiting', {}, { signal: controller.signal }))
  await running
  controller.abort(reason)
  expect(await failed).toMatchObject({ name: 'OutcomeUnknownError', cause: reason })
  expect(await stopped).toBe(true)
})

test('what a callback throws ends the call', async () => {
  const reason = new Error('seen enough')
  let aborted = false
  const channel = over([
    tool('steps', async (_input, { progress, signal }) => {
      await progress({ progress: 1 })
      aborted = signal.aborted
      await progress({ progress: 2 })
      return ''
    }),
  ])
  const onNotification = () => {
    throw reason
  }
  expect(await rejection(call(channel, 'steps', {}, { onNotification }))).toMatchObject({
    name: 'OutcomeUnknownError',
    cause: reason,
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(aborted).toBe(true)
})

test('a handler that floods is held back or loses notifications, never the order', async () => {
  const channel = over([
    tool('flood', async (_input, { progress }) => {
      for (let i = 1; i <= 50_000; i++) void progress({ progress: i, message: 'x'.repeat(100) })
      return 'done'
    }),
  ])
  const seen: number[] = []
  await call(
    channel,
    'flood',
    {},
    { onNotification: ({ params }) => void seen.push(params['progress'] as number) },
  )
  expect(seen.length).toBeGreaterThan(1_000)
  expect(seen.length).toBeLessThan(50_000)
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
})

test('neither side can change what the other holds', async () => {
  const channel = over([
    tool('changing', (input) => {
      ;(input as { list: number[] }).list.push(2)
      return ''
    }),
  ])
  const args = { list: [1] }
  await call(channel, 'changing', args)
  expect(args).toEqual({ list: [1] })
})

test('G-100 parameters JSON cannot hold are refused before anything runs', async () => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  expect(await rejection(call(over([]), 'any', cycle))).toMatchObject({ name: 'InternalClientError' })
  expect(await rejection(call(over([]), 'any', { big: 1n }))).toMatchObject({ name: 'InternalClientError' })
})

test('closing loses what is under way, stops its handlers and refuses what comes later', async () => {
  let stopped: Promise<unknown> = Promise.resolve()
  let begun: () => void = () => undefined
  const running = new Promise<void>((resolve) => (begun = resolve))
  const channel = over([
    tool('waiting', (_input, { signal }) => {
      stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
      begun()
      return stopped.then(() => '')
    }),
  ])
  const failed = rejection(call(channel, 'waiting'))
  await running
  await channel.close()
  await channel.close()
  expect(await failed).toMatchObject({ name: 'OutcomeUnknownError', cause: { name: 'ConnectionLostError' } })
  await stopped
  expect(await rejection(call(channel, 'waiting'))).toMatchObject({ name: 'InternalClientError' })
})

test.each<[string, LocalServer['dispatch']]>([
  ['throws', () => Promise.reject(new Error('broken'))],
  ['answers nothing', () => Promise.resolve({ kind: 'accepted' })],
  ['answers no JSON', () => Promise.resolve({ kind: 'result', payload: 'nonsense' })],
  ['answers no response', () => Promise.resolve({ kind: 'result', payload: '{"jsonrpc":"2.0","id":1}' })],
  [
    'answers with a result that is no object',
    () => Promise.resolve({ kind: 'result', payload: Buffer.from('{"jsonrpc":"2.0","id":1,"result":[]}') }),
  ],
])('a server that %s leaves the outcome unknown', async (_name, dispatch) => {
  expect(await rejection(call(localChannel({ server: { dispatch } }), 'any'))).toMatchObject({
    name: 'OutcomeUnknownError',
  })
})
