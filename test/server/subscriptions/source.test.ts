import { defineResource, defineResourceTemplate, defineTool, WireError } from 'castellan'
import { handle, memoryChanges, subscriptionSource, type FollowSelection } from 'castellan/fastify'
import { describe, expect, test, vi } from 'vitest'
import type { ServerOptions } from '../../../src/server/server.js'
import { ask, principal, server } from '../harness.js'
import { open, refused } from './open-stream.js'

const resources = [
  handle(defineResource({ uri: 'a://1', name: 'one' }), () => 'x'),
  handle(defineResource({ uri: 'a://2', name: 'two', scopes: ['read'] }), () => 'x'),
]
const tools = [handle(defineTool({ name: 't', description: 't' }), () => 'x')]
const catalogs = { tools: () => ({ names: ['t'] }) }
const kinds = { resources: true, catalogs: ['tools'] } as const
const wanted = { toolsListChanged: true, resourceSubscriptions: ['a://1', 'a://2'] }
const alice = { principal: principal(['mcp']) }

const over = (follow: FollowSelection, options: Partial<ServerOptions> = {}) =>
  server({
    ...{ authenticated: true, tools, resources, catalogs },
    subscriptions: subscriptionSource(kinds, follow),
    ...options,
  })

test('G-85 G-86 G-87 G-89 a feed gets what its caller may see, acknowledges and tells', async () => {
  const seen: unknown[] = []
  const on = over(async function* (selection, { principal: who }) {
    seen.push(selection, who?.subject)
    yield { kind: 'acknowledged', lists: [] }
    yield { kind: 'resource_updated', uri: 'a://1' }
  })
  const reader = await open(on, wanted, alice)
  await vi.waitFor(() => expect(reader.ended).toBe(true))
  expect(seen).toEqual([{ lists: ['tools'], resources: ['a://1'], states: {} }, 'alice'])
  expect(
    reader.messages.map(({ params, result }) => params?.notifications ?? params?.uri ?? result.resultType),
  ).toEqual([{ resourceSubscriptions: ['a://1'] }, 'a://1', 'complete'])
})

test.each<[string, FollowSelection]>([
  ['ends at once', async function* () {}],
  [
    'begins with a change',
    async function* () {
      yield { kind: 'tools_changed' }
    },
  ],
  [
    'throws',
    async function* () {
      yield* []
      throw new Error('secret-detail')
    },
  ],
  [
    'acknowledges more than was selected',
    async function* () {
      yield { kind: 'acknowledged', resources: ['a://2'] }
    },
  ],
])('G-87 a feed that %s is -32603 before any stream, and takes no place', async (_what, follow) => {
  const on = over(follow, { listen: { streamsPerPrincipal: 1 } })
  for (let i = 0; i < 2; i++) {
    const error = await refused(on, { notifications: wanted }, alice)
    expect(error.code).toBe(-32603)
    expect(JSON.stringify(error)).not.toContain('secret-detail')
  }
})

test('G-87 what a feed refuses before it acknowledges keeps its error', async () => {
  const on = over(async function* () {
    yield* []
    throw new WireError('ERR_PARAMS', 'Not so many')
  })
  expect(await refused(on, { notifications: wanted }, alice)).toMatchObject({
    code: -32602,
    message: 'Not so many',
  })
})

test.each<[string, FollowSelection]>([
  [
    'tells what was not selected',
    async function* () {
      yield { kind: 'acknowledged' }
      yield { kind: 'resource_updated', uri: 'a://2' }
    },
  ],
  [
    'acknowledges twice',
    async function* () {
      yield { kind: 'acknowledged' }
      yield { kind: 'acknowledged' }
    },
  ],
])('SUB-2 G-80 a feed that %s ends the stream with an error', async (_what, follow) => {
  const reader = await open(over(follow), wanted, alice)
  await vi.waitFor(() => expect(reader.messages.at(-1)).toMatchObject({ error: { code: -32603 } }))
  expect(reader.messages).toHaveLength(2)
})

test('G-91 a feed is stopped when its reader leaves, and when the server closes', async () => {
  const stopped: string[] = []
  const on = over(async function* (_selection, { signal }) {
    yield { kind: 'acknowledged' }
    try {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    } finally {
      stopped.push('stopped')
    }
  })
  const leaving = await open(on, wanted, alice)
  leaving.answer.closed()
  await vi.waitFor(() => expect(stopped).toHaveLength(1))
  const staying = await open(on, wanted, alice)
  on.close()
  await vi.waitFor(() => expect(stopped).toHaveLength(2))
  expect(staying.messages.at(-1)).toMatchObject({ result: { resultType: 'complete' } })
})

test('G-85 G-91 what a feed told last is told to a slow reader too, before its stream completes', async () => {
  const uris = Array.from({ length: 3 }, (_, index) => `n://${index}`)
  const notes = handle(defineResourceTemplate({ uriTemplate: 'n://{id}', name: 'n' }), () => 'x')
  let end = () => undefined as void
  const ended = new Promise<void>((resolve) => (end = resolve))
  const on = over(
    async function* () {
      yield { kind: 'acknowledged' }
      await new Promise((resolve) => setImmediate(resolve))
      for (const uri of [...uris, ...uris]) yield { kind: 'resource_updated', uri } as const
      end()
    },
    { resources: [notes] },
  )
  const reader = await open(on, { resourceSubscriptions: uris }, alice)
  reader.isSlow = true
  await ended
  await new Promise((resolve) => setImmediate(resolve))
  expect(reader.ended).toBe(false)
  for (let i = 0; i < 3; i++) reader.answer.drained()
  expect(reader.messages.slice(1).map(({ params, result }) => params?.uri ?? result.resultType)).toEqual([
    ...['n://0', 'n://1', 'n://2', 'n://0', 'complete'],
  ])
})

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('no')
    },
  ],
  ['rejects', () => Promise.reject(new Error('no'))],
  ['gives nothing', () => undefined],
  ['never ends', () => new Promise(() => undefined)],
])('SUB-9 B143 a feed whose end %s holds up no closing', async (_what, end) => {
  let steps = 0
  const feed = {
    next: () =>
      steps++ === 0
        ? Promise.resolve({ done: false, value: { kind: 'acknowledged' } })
        : new Promise(() => undefined),
    return: end,
  }
  const on = over((() => feed) as never)
  const readers = [await open(on, wanted, alice)]
  steps = 0
  readers.push(await open(on, wanted, alice))
  on.close()
  for (const reader of readers)
    expect(reader.messages.at(-1)).toMatchObject({ result: { resultType: 'complete' } })
})

describe('a source', () => {
  const follow: FollowSelection = async function* () {
    yield { kind: 'acknowledged' }
  }

  test('G-93 advertises what it tells', async () => {
    const told = await ask(over(follow), 'server/discover', {}, principal([]))
    expect(told.json.result.capabilities).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true },
    })
  })

  test.each<[string, Partial<ServerOptions>]>([
    ['a fixed list', { catalogs: {} }],
    ['a bus besides', { changes: memoryChanges() }],
    ['something else', { subscriptions: {} as never }],
  ])('G-93 with %s is refused at construction', (_what, options) => {
    expect(() => over(follow, options)).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
  })
})
