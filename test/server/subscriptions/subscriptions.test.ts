import { defineResource, defineResourceTemplate, defineTool } from 'castellan'
import { handle, memoryChanges, type Changes, type Follower } from 'castellan/fastify'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ServerOptions } from '../../../src/server/server.js'
import { ask, principal, server } from '../harness.js'
import { open, Reader, refused, send } from './open-stream.js'

const idKey = 'io.modelcontextprotocol/subscriptionId'
const nothing = () => 'x'
const open1 = handle(defineResource({ uri: 'a://open', name: 'open' }), nothing)
const read1 = handle(defineResource({ uri: 'a://read', name: 'read', scopes: ['read'] }), nothing)
const family = handle(
  defineResourceTemplate({ uriTemplate: 'n://{id}', name: 'n', scopes: [['read'], ['admin']] }),
  nothing,
)
const openFamily = handle(defineResourceTemplate({ uriTemplate: 'n://{id}', name: 'n' }), nothing)
const tool = handle(defineTool({ name: 't', description: 't' }), nothing)
const catalogs = {
  tools: () => ({ names: ['t'] }),
  resources: () => ({ resources: [] }),
}
const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

function make(options: Partial<ServerOptions> = {}) {
  const changes = memoryChanges()
  const on = server({ changes, tools: [tool], resources: [open1], catalogs, ...options })
  return { changes, on }
}

afterEach(() => vi.useRealTimers())

describe('what is acknowledged', () => {
  const guarded = { authenticated: true, basicScopes: ['mcp'], resources: [open1, read1, family] }
  const uris = ['a://open', 'a://read', 'n://7', 'b://none', 'not a uri']

  test.each([
    [['mcp'], ['a://open']],
    [
      ['mcp', 'read'],
      ['a://open', 'a://read', 'n://7'],
    ],
    [
      ['mcp', 'admin'],
      ['a://open', 'n://7'],
    ],
  ])('SUB-14 G-89 scopes %j may follow %j; the rest is as if it did not exist', async (scopes, followed) => {
    const { on } = make(guarded)
    const reader = await open(on, { resourceSubscriptions: uris }, { principal: principal(scopes) })
    expect(reader.messages[0].params.notifications).toEqual({ resourceSubscriptions: followed })
  })

  test('SUB-3 SUB-5 G-80 lists that never change and kinds that are not offered are left out', async () => {
    const { on } = make()
    const reader = await open(on, { ...all, taskIds: ['1'], somethingNew: true })
    expect(reader.messages).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: {
          notifications: { toolsListChanged: true, resourcesListChanged: true },
          _meta: { [idKey]: 1 },
        },
      },
    ])
  })

  test.each([
    ['an empty filter', {}, {}],
    ['what is null', { toolsListChanged: null, resourceSubscriptions: null }, {}],
    ['flags that are false', { toolsListChanged: false, resourceSubscriptions: [] }, {}],
    ['what is not offered', { promptsListChanged: true }, {}],
    ['a server without changes', all, { changes: undefined as never }],
  ])(
    'B033 SUB-9 nothing honoured of %s: acknowledged as empty, then complete',
    async (_what, filter, options) => {
      const { on } = make(options)
      const reader = await open(on, filter, { id: 'l' })
      expect(reader.ended).toBe(true)
      expect(reader.messages).toMatchObject([
        { params: { notifications: {}, _meta: { [idKey]: 'l' } } },
        { id: 'l', result: { resultType: 'complete', _meta: { [idKey]: 'l' } } },
      ])
    },
  )

  test('G-93 SUB-12 only what changes is advertised as changing', async () => {
    const told = await ask(make().on, 'server/discover')
    expect(told.json.result.capabilities).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    })
    const fixed = await ask(make({ catalogs: {} }).on, 'server/discover')
    expect(fixed.json.result.capabilities).toEqual({ tools: {}, resources: { subscribe: true } })
    const silentServer = await ask(server({ tools: [tool], resources: [open1], catalogs }), 'server/discover')
    expect(silentServer.json.result.capabilities).toEqual({ tools: {}, resources: {} })
  })
})

test.each([
  ['no filter', {}],
  ['a list as filter', { notifications: [] }],
  ['a flag that is text', { notifications: { toolsListChanged: 'true' } }],
  ['one URI', { notifications: { resourceSubscriptions: 'a://open' } }],
  ['URIs that are numbers', { notifications: { resourceSubscriptions: [1] } }],
  ['too many URIs', { notifications: { resourceSubscriptions: ['1', '2', '3', '4'] } }],
])('SUB-1 SUB-14 %s is -32602 and opens nothing', async (_what, params) => {
  const { on } = make({ listen: { targetsPerStream: 3 } })
  expect(await refused(on, params)).toMatchObject({ code: -32602 })
})

test('SUB-8 a caller that takes no stream is told so', async () => {
  const { on } = make()
  expect(await refused(on, { notifications: all }, { streams: false })).toMatchObject({ status: 406 })
})

test.each([1, -7, 'one', '', '1'])('SUB-4 B034 id %j is in every message with its type', async (id) => {
  const { on, changes } = make()
  const reader = await open(on, all, { id })
  await changes.toolsChanged()
  on.close()
  expect(reader.messages.map(({ params, result }) => (params ?? result)._meta[idKey])).toEqual([id, id, id])
  expect(reader.messages.at(-1).id).toBe(id)
})

test('B034 SUB-2 each stream gets its kinds and exact URIs only', async () => {
  const { on, changes } = make({ resources: [open1, openFamily] })
  const tools = await open(on, { toolsListChanged: true })
  const one = await open(on, { resourceSubscriptions: ['n://A'] })
  await changes.toolsChanged()
  for (const uri of ['n://B', 'n://A/part', 'n://a', 'n://%41', 'n://A']) await changes.resourceUpdated(uri)
  await changes.resourcesChanged()
  expect(tools.methods.slice(1)).toEqual(['notifications/tools/list_changed'])
  expect(one.messages.slice(1).map(({ params }) => params.uri)).toEqual(['n://A'])
})

test('SUB-14 a change for somebody reaches nobody else', async () => {
  const { on, changes } = make({ authenticated: true })
  const alice = await open(on, all, { principal: principal([], 'alice') })
  const bob = await open(on, all, { principal: principal([], 'bob') })
  const other = { ...principal([], 'alice'), issuer: 'https://other.example.com' }
  const namesake = await open(on, all, { principal: other })
  await changes.toolsChanged({ to: principal([], 'alice') })
  await changes.toolsChanged({ to: [] })
  expect([alice, bob, namesake].map(({ messages }) => messages.length)).toEqual([2, 1, 1])
  const openServer = make()
  const nobody = await open(openServer.on, all)
  await openServer.changes.toolsChanged({ to: principal([], 'alice') })
  expect(nobody.messages).toHaveLength(1)
})

describe('limits', () => {
  test('SUB-14 SUB-6 a principal has so many streams, and one that ended makes room', async () => {
    const { on } = make({ authenticated: true, listen: { streamsPerPrincipal: 2 } })
    const alice = { principal: principal([], 'alice') }
    const first = await open(on, all, alice)
    await open(on, all, alice)
    expect(await refused(on, { notifications: all }, alice)).toMatchObject({ status: 429, code: -32603 })
    await open(on, all, { principal: principal([], 'bob') })
    first.answer.closed()
    first.answer.closed()
    await open(on, all, alice)
    expect(await refused(on, { notifications: all }, alice)).toMatchObject({ status: 429 })
  })

  test('SUB-14 a request that fails takes no place', async () => {
    const changes: Changes = { ...memoryChanges(), follow: () => Promise.reject(new Error('no Redis')) }
    const { on } = make({ changes, listen: { streamsPerPrincipal: 1 } })
    for (let i = 0; i < 3; i++)
      expect(await refused(on, { notifications: all })).toMatchObject({ code: -32603, status: 200 })
  })

  test.each([{ keepAliveMs: 10 }, { streamsPerPrincipal: 0 }, { targetsPerStream: 1.5 }])(
    'limits %j are refused at construction',
    (listen) => {
      expect(() => make({ listen })).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
    },
  )
})

describe('a slow reader', () => {
  test('SUB-14 gets what changed meanwhile once, in the order it changed first', async () => {
    const { on, changes } = make()
    const reader = await open(on, { ...all, resourceSubscriptions: ['a://open'] })
    reader.isSlow = true
    await changes.toolsChanged()
    for (let i = 0; i < 1000; i++) {
      await changes.resourceUpdated('a://open')
      await changes.toolsChanged()
    }
    expect(reader.messages).toHaveLength(2)
    reader.isSlow = false
    reader.answer.drained()
    expect(reader.methods.slice(2)).toEqual([
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ])
  })

  test('SUB-14 B141 is given up with a clear end, and cut when it does not take that either', async () => {
    vi.useFakeTimers()
    const { on, changes } = make()
    const reader = await open(on, all)
    reader.isSlow = true
    await changes.toolsChanged()
    await changes.toolsChanged()
    vi.advanceTimersByTime(32_000)
    expect(reader.messages.at(-1)).toMatchObject({ id: 1, error: { code: -32603 } })
    expect(reader.wasCut).toBe(false)
    vi.advanceTimersByTime(10_000)
    expect(reader.wasCut).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('SUB-2 SUB-14 whatever it does, the last change of each thing is told after it happened', async () => {
    const step = fc.constantFrom('tools', 'open', 'slow', 'fast', 'drain')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { on, changes } = make()
        const reader = await open(on, { toolsListChanged: true, resourceSubscriptions: ['a://open'] })
        const untold = new Set<string>()
        let seen = 1
        for (const what of [...steps, 'fast', 'drain']) {
          if (what === 'tools') await changes.toolsChanged()
          if (what === 'open') await changes.resourceUpdated('a://open')
          if (what === 'tools' || what === 'open') untold.add(what)
          if (what === 'slow' || what === 'fast') reader.isSlow = what === 'slow'
          if (what === 'drain') reader.answer.drained()
          for (const { method } of reader.messages.slice(seen))
            expect(untold.delete(method.includes('tools') ? 'tools' : 'open')).toBe(true)
          seen = reader.messages.length
        }
        expect([...untold]).toEqual([])
      }),
    )
  })
})

describe('time', () => {
  test('SUB-14 B142 an idle stream shows that it is there; one that left leaves no timer', async () => {
    vi.useFakeTimers()
    const { on } = make({ listen: { keepAliveMs: 3_000 } })
    const [one, other] = [await open(on, all), await open(on, all)]
    vi.advanceTimersByTime(9_000)
    expect([one.beats, other.beats]).toEqual([3, 3])
    one.answer.closed()
    expect(vi.getTimerCount()).toBe(1)
    other.answer.closed()
    vi.advanceTimersByTime(9_000)
    expect([one.beats, other.beats]).toEqual([3, 3])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('SUB-14 SUB-9 a stream ends as it should when its token expires', async () => {
    vi.useFakeTimers()
    const { on, changes } = make({ authenticated: true })
    const who = { ...principal([]), expiresAt: Math.floor(Date.now() / 1000) + 5 }
    const reader = await open(on, all, { principal: who })
    vi.advanceTimersByTime(4_000)
    expect(reader.ended).toBe(false)
    vi.advanceTimersByTime(2_000)
    expect(reader.messages.at(-1)).toMatchObject({ result: { resultType: 'complete' } })
    await changes.toolsChanged()
    expect(reader.messages).toHaveLength(2)
    reader.answer.closed()
  })

  test.each([0, 1, 5_000])('SUB-14 nothing is told %d ms after a token expired', async (late) => {
    vi.useFakeTimers()
    const { on, changes } = make({ authenticated: true })
    const who = { ...principal([]), expiresAt: Math.floor(Date.now() / 1000) + 5 }
    const reader = await open(on, all, { principal: who })
    const slow = await open(on, all, { principal: who })
    slow.isSlow = true
    await changes.toolsChanged()
    await changes.toolsChanged()
    vi.setSystemTime(who.expiresAt * 1000 + late)
    await changes.toolsChanged()
    slow.answer.drained()
    for (const { messages } of [reader, slow]) {
      expect(messages.at(-1)).toMatchObject({ result: { resultType: 'complete' } })
      expect(messages).toHaveLength(messages === reader.messages ? 4 : 3)
    }
  })

  test('SUB-3 SUB-14 a stream that begins after its token expired is acknowledged and ends', async () => {
    const { on, changes } = make({ authenticated: true })
    const who = { ...principal([]), expiresAt: Math.floor(Date.now() / 1000) - 1 }
    const reader = await open(on, all, { principal: who })
    await changes.toolsChanged()
    expect(reader.methods).toEqual(['notifications/subscriptions/acknowledged'])
    expect(reader.messages.at(-1)).toMatchObject({ result: { resultType: 'complete' } })
    reader.answer.closed()
  })
})

test('B035 SUB-9 closing completes every stream, and a later one at once', async () => {
  const { on, changes } = make()
  const reader = await open(on, all)
  on.close()
  on.close()
  expect(reader.messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  const late = await open(on, all, { id: 2 })
  expect(late.messages.at(-1)).toMatchObject({ id: 2, result: { resultType: 'complete' } })
  await changes.toolsChanged()
  expect(reader.messages).toHaveLength(2)
})

test('SUB-14 a bus that is lost before a stream has begun leaves nobody deaf', async () => {
  const followers: Follower[] = []
  const bus = memoryChanges()
  const changes: Changes = { ...bus, follow: (one) => (followers.push(one), bus.follow(one)) }
  const { on } = make({ changes })
  const answer = await send(on, { notifications: all })
  followers[0]?.lost()
  const reader = new Reader()
  if (answer.kind === 'stream') reader.answer = answer.open(reader)
  expect(reader.methods).toEqual(['notifications/subscriptions/acknowledged'])
  expect(reader.messages.at(-1)).toMatchObject({ error: { code: -32603 } })
  expect((await open(on, all)).ended).toBe(false)
  expect(followers).toHaveLength(2)
})

test('SUB-9 B143 a server that is closed follows no bus any more', async () => {
  let following = 0
  const bus = memoryChanges()
  const changes: Changes = {
    ...bus,
    follow: async (follower) => {
      const leave = await bus.follow(follower)
      following++
      return () => {
        following--
        leave()
      }
    },
  }
  const { on } = make({ changes })
  await open(on, all)
  expect(following).toBe(1)
  on.close()
  const late = await open(on, all)
  expect(late.ended).toBe(true)
  await vi.waitFor(() => expect(following).toBe(0))
})

test('`changes` must be a bus', () => {
  expect(() => make({ changes: {} as never })).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
})
