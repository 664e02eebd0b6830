import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { defineResource, defineTool } from 'castellan'
import { httpCaller, type McpCaller, type SubscriptionEvent, type SubscriptionFilter } from 'castellan/client'
import { handle, memoryChanges, redisChanges, type McpOptions } from 'castellan/fastify'
import { injectClient } from 'castellan/testing'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createClient } from 'redis'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { redisIsInstalled, startRedis } from '../store/redis.js'
import { events, modern, post, rawPost } from '../wire.js'
import { listenGuarded } from './guarded.js'
import { listen, type RunningServer } from './server.js'

const tool = handle(defineTool({ name: 't', description: 't' }), () => 'x')
const note = handle(defineResource({ uri: 'notes://1', name: 'one' }), () => 'x')
const secret = handle(defineResource({ uri: 'notes://secret', name: 's', scopes: ['admin'] }), () => 'x')
const catalogs = { tools: () => ({ names: ['t'] }) }
const wanted = { toolsListChanged: true, resourceSubscriptions: ['notes://1', 'notes://secret'] }

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

async function serve(options: Partial<McpOptions> = {}) {
  const changes = options.changes ?? memoryChanges()
  const server = await listen({ tools: [tool], resources: [note], catalogs, changes, ...options })
  cleanUp.push(() => server.app.close())
  return { server, changes }
}

/** A promise that a callback settles. */
function latch<T = void>() {
  let open: (value: T) => void = () => undefined
  const promise = new Promise<T>((resolve) => (open = resolve))
  return { promise, open }
}

interface Followed {
  readonly events: SubscriptionEvent[]
  readonly ended: Promise<unknown>
  readonly caller: McpCaller
  leave(): void
}

/** Follows with our own caller; resolves with the acknowledgement. */
async function follow(
  server: RunningServer,
  filter: SubscriptionFilter = wanted,
  token?: string,
): Promise<Followed> {
  const headers = token === undefined ? {} : { headers: { authorization: token } }
  const caller =
    token === undefined
      ? httpCaller({ clientInfo: { name: 'test', version: '1' }, endpoint: server.url })
      : injectClient(server.app, { path: '/mcp', ...headers }).caller
  const seen: SubscriptionEvent[] = []
  const gone = new AbortController()
  const acknowledged = latch()
  const ended = caller
    .listen(filter, {
      signal: gone.signal,
      onEvent: (event) => {
        seen.push(event)
        acknowledged.open()
      },
    })
    .then(() => 'complete')
    .catch((error: unknown) => error)
  cleanUp.push(() => (gone.abort(), caller.close()))
  await Promise.race([acknowledged.promise, ended])
  return { events: seen, ended, caller, leave: () => gone.abort() }
}

test('SUB-3 SUB-8 B145 the answer is a stream that begins at once with the acknowledgement', async () => {
  const { server, changes } = await serve()
  const { body, headers } = modern('subscriptions/listen', { notifications: wanted }, { id: 'l1' })
  const gone = new AbortController()
  const response = await fetch(server.url, {
    ...{ method: 'POST', headers, body: JSON.stringify(body), signal: gone.signal },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const first = await reader.read()
  expect(events(first.value ?? '')).toMatchObject([
    {
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true } },
    },
  ])
  await changes.resourceUpdated('notes://1')
  expect(events((await reader.read()).value ?? '')).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'notes://1', _meta: { 'io.modelcontextprotocol/subscriptionId': 'l1' } },
    },
  ])
  gone.abort()
})

test('SUB-8 who accepts JSON only is refused', async () => {
  const { server } = await serve()
  const request = modern(
    'subscriptions/listen',
    { notifications: wanted },
    { headers: { accept: 'application/json' } },
  )
  expect((await post(server.url, request)).status).toBe(406)
})

test('B043 an older client has no such method, and GET stays 405', async () => {
  const { server } = await serve()
  const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: wanted } }
  const answer = await post(server.url, {
    body,
    headers: { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' },
  })
  expect(answer.json.error.code).toBe(-32601)
  expect((await fetch(server.url)).status).toBe(405)
})

test('SUB-9 B035 B143 closing the app completes the streams and does not wait for their connections', async () => {
  const { server, changes } = await serve()
  const followed = await follow(server)
  await changes.toolsChanged()
  await server.app.close()
  expect(await followed.ended).toBe('complete')
  expect(followed.events.map(({ kind }) => kind)).toEqual(['acknowledged', 'tools_changed'])
})

test('SUB-14 B142 who leaves frees the place', async () => {
  const { server } = await serve({ listen: { streamsPerPrincipal: 1 } })
  const first = await follow(server)
  const refused = await follow(server)
  expect(await refused.ended).toMatchObject({ code: 'ERR_RPC', status: 429 })
  first.leave()
  await vi.waitFor(async () => expect((await follow(server)).events).toHaveLength(1))
})

test('SUB-14 G-89 behind a guard only what the token may see is followed, and what is for others is not told', async () => {
  const changes = memoryChanges()
  const guarded = await listenGuarded({ tools: [], resources: [note, secret], changes })
  cleanUp.push(() => guarded.stop())
  const alice = await follow(guarded, wanted, (await guarded.bearer(['mcp'], 'alice')).authorization)
  const bob = await follow(guarded, wanted, (await guarded.bearer(['mcp', 'admin'], 'bob')).authorization)
  expect(alice.events).toEqual([{ kind: 'acknowledged', filter: { resourceSubscriptions: ['notes://1'] } }])
  expect(bob.events).toEqual([
    { kind: 'acknowledged', filter: { resourceSubscriptions: ['notes://1', 'notes://secret'] } },
  ])
  await changes.resourceUpdated('notes://secret')
  await changes.resourceUpdated('notes://1', { to: { issuer: guarded.as.issuer, subject: 'bob' } })
  await changes.resourceUpdated('notes://1', { to: { issuer: guarded.as.issuer, subject: 'alice' } })
  await vi.waitFor(() => expect([alice.events.length, bob.events.length]).toEqual([2, 3]))
  const anonymous = await post(guarded.url, modern('subscriptions/listen', { notifications: wanted }))
  expect(anonymous.status).toBe(401)
})

test('SUB-9 SUB-14 a stream ends with its token', async () => {
  const changes = memoryChanges()
  const guarded = await listenGuarded({ tools: [], resources: [note], changes })
  cleanUp.push(() => guarded.stop())
  const resource = 'https://api.example.com/mcp'
  const token = await guarded.as.mint({ resource, scopes: ['mcp'], subject: 'a', expiresInSeconds: 2 })
  const followed = await follow(guarded, wanted, `Bearer ${token}`)
  expect(followed.events).toHaveLength(1)
  expect(await followed.ended).toBe('complete')
})

test('SUB-14 B141 a reader that takes nothing costs a bounded amount, and closing does not wait for it', async () => {
  const { server, changes } = await serve({
    resources: [handle(defineResource({ uri: `notes://${'x'.repeat(2_000)}`, name: 'long' }), () => 'x')],
  })
  const uri = `notes://${'x'.repeat(2_000)}`
  const { body, headers } = modern('subscriptions/listen', {
    notifications: { resourceSubscriptions: [uri] },
  })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const socket = connect(server.port, '127.0.0.1')
  cleanUp.push(() => socket.destroy())
  socket.write(rawPost('/mcp', lines, JSON.stringify(body)))
  await once(socket, 'readable')
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < 50_000; i++) {
    void changes.resourceUpdated(uri)
    if (i % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000)
  const closing = performance.now()
  await server.app.close()
  expect(performance.now() - closing).toBeLessThan(30_000)
})

test('SUB-4 the official client hears of changes, and of the end', async () => {
  const { server, changes } = await serve()
  const client = new Client(
    { name: 'official', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  cleanUp.push(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  const updated = latch<unknown>()
  const listChanged = latch()
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => updated.open(params.uri))
  client.setNotificationHandler('notifications/tools/list_changed', () => listChanged.open())
  const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['notes://1'] })
  expect(subscription.honoredFilter).toEqual({ toolsListChanged: true, resourceSubscriptions: ['notes://1'] })
  await changes.toolsChanged()
  await changes.resourceUpdated('notes://1')
  await listChanged.promise
  expect(await updated.promise).toBe('notes://1')
  await server.app.close()
  expect(await subscription.closed).toBe('graceful')
})

describe.runIf(redisIsInstalled)('two servers over one Redis', () => {
  async function instance(url: string) {
    const client = createClient({ url })
    client.on('error', () => undefined)
    await client.connect()
    const made = await serve({ changes: redisChanges(client) })
    cleanUp.push(() => client.destroy())
    return made
  }

  test('SUB-14 each change is told once, by whichever instance, until Redis is lost, and again when it is back', async () => {
    const redis = await startRedis()
    cleanUp.push(() => redis.close())
    const [one, two] = [await instance(redis.url), await instance(redis.url)]
    const [first, second] = [await follow(one.server), await follow(two.server)]
    await one.changes.resourceUpdated('notes://1')
    await two.changes.toolsChanged()
    for (const { events: seen } of [first, second])
      await vi.waitFor(() =>
        expect(seen.map(({ kind }) => kind)).toEqual(['acknowledged', 'resource_updated', 'tools_changed']),
      )
    await redis.stop()
    for (const { ended } of [first, second]) expect(await ended).toMatchObject({ code: 'ERR_RPC' })
    expect(await (await follow(one.server)).ended).toMatchObject({ code: 'ERR_RPC' })
    await redis.start()
    const again = await follow(one.server)
    await vi.waitFor(() => two.changes.toolsChanged())
    await vi.waitFor(() => expect(again.events.at(-1)).toEqual({ kind: 'tools_changed' }))
  })
})
