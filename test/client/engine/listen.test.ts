import { describe, expect, test } from 'vitest'
import type { ChannelRequest } from '../../../src/client/channel.js'
import { ConnectionLostError, HttpResponseError, OutcomeUnknownError } from '../../../src/client/errors.js'
import type { SubscriptionEvent, SubscriptionFilter } from '../../../src/client/subscription.js'
import type { JsonObject } from '../../../src/protocol/json.js'
import { echoTool, failure, metaOf, notifying, says, scripted, throws, tools, type Step } from './script.js'

const named = ({ id }: ChannelRequest, more: JsonObject = {}) => ({
  ...more,
  _meta: { 'io.modelcontextprotocol/subscriptionId': id },
})
type Telling = (request: ChannelRequest) => { method: string; params: JsonObject }
const tell =
  (name: string, more: JsonObject = {}): Telling =>
  (request) => ({ method: `notifications/${name}`, params: named(request, more) })
const acknowledge = (notifications: JsonObject) => tell('subscriptions/acknowledged', { notifications })
const ends: Step = (request) => ({ resultType: 'complete', ...named(request) })
const stream = (tellings: readonly Telling[], then: Step = ends) => ({
  'subscriptions/listen': notifying((request) => tellings.map((one) => one(request)), then),
})
const all: SubscriptionFilter = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['a://dir'],
  taskIds: ['t1'],
}
const task = {
  taskId: 't1',
  status: 'working',
  createdAt: '2026-08-22T09:00:00Z',
  lastUpdatedAt: '2026-08-22T09:00:00Z',
  ttlMs: null,
}

async function follow(answers: Record<string, Step>, filter: SubscriptionFilter = all) {
  const events: SubscriptionEvent[] = []
  const { caller, sent } = scripted(answers)
  await caller.listen(filter, { onEvent: (event) => void events.push(event) })
  return { events, sent }
}

describe('listen', () => {
  test('G-80: the acknowledgement first, then every kind of change', async () => {
    const { events, sent } = await follow(
      stream([
        acknowledge(all as JsonObject),
        tell('tools/list_changed'),
        tell('prompts/list_changed'),
        tell('resources/list_changed'),
        tell('resources/updated', { uri: 'a://dir' }),
        tell('resources/updated', { uri: 'a://dir/file' }),
        tell('tasks', task),
      ]),
    )
    expect(events).toEqual([
      { kind: 'acknowledged', filter: all },
      { kind: 'tools_changed' },
      { kind: 'prompts_changed' },
      { kind: 'resources_changed' },
      { kind: 'resource_updated', uri: 'a://dir' },
      { kind: 'resource_updated', uri: 'a://dir/file' },
      { kind: 'task_changed', task },
    ])
    expect(sent[0]!.params['notifications']).toEqual(all)
    expect(metaOf(sent[0])['io.modelcontextprotocol/clientCapabilities']).toEqual({
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    })
  })

  const ack = acknowledge({ toolsListChanged: true })
  test.each([
    ['a change before the acknowledgement', [tell('tools/list_changed')]],
    ['two acknowledgements', [ack, ack]],
    ['a change that was not granted', [ack, tell('prompts/list_changed')]],
    [
      'a resource nobody asked for',
      [acknowledge(all as JsonObject), tell('resources/updated', { uri: 'a://director' })],
    ],
    ['a task nobody asked for', [acknowledge(all as JsonObject), tell('tasks', { ...task, taskId: 't2' })]],
    ['progress on a subscription', [ack, tell('progress', { progress: 1 })]],
    [
      'another subscription',
      [ack, () => ({ method: 'notifications/tools/list_changed', params: { _meta: {} } })],
    ],
    ['no acknowledgement at all', []],
  ])('G-80: %s is malformed', async (_what, tellings) => {
    expect(await failure(follow(stream(tellings)))).toMatchObject({ kind: 'malformed' })
  })

  test('G-80: more than was asked for cannot be granted', async () => {
    const wider = stream([acknowledge({ promptsListChanged: true })])
    expect(await failure(follow(wider, { toolsListChanged: true }))).toMatchObject({ kind: 'malformed' })
  })

  test('SUB-9: the end names the subscription', async () => {
    const nameless = stream([ack], () => ({ resultType: 'complete' }))
    expect(await failure(follow(nameless))).toMatchObject({ kind: 'malformed' })
  })

  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  test.each([
    ['a cut stream', new OutcomeUnknownError(new ConnectionLostError()), { kind: 'connection' }],
    ['a lost connection', new OutcomeUnknownError(reset), { kind: 'connection', cause: reset }],
    ['a server fault', new OutcomeUnknownError(new HttpResponseError(503)), { kind: 'http', status: 503 }],
  ])('G-82: %s is an error, and nothing reconnects', async (_what, error, expected) => {
    const { caller, sent } = scripted(stream([ack], throws(error)))
    expect(await failure(caller.listen(all, { onEvent: () => undefined }))).toMatchObject(expected)
    expect(sent).toHaveLength(1)
  })

  test('G-82: an aborted signal rejects with its reason; what the host throws comes back', async () => {
    const { caller } = scripted(stream([ack]))
    const reason = new Error('enough')
    const stop = new AbortController()
    const onEvent = () => {
      stop.abort(reason)
      throw new Error('late')
    }
    const mine = failure(caller.listen(all, { onEvent }))
    expect(await mine).toMatchObject({ message: 'late' })
    const aborted = scripted(
      stream([ack], ({ signal }) => {
        stop.abort(reason)
        throw new OutcomeUnknownError(signal!.reason)
      }),
    )
    const again = aborted.caller.listen(all, { signal: stop.signal, onEvent: () => undefined })
    expect(await failure(again)).toBe(reason)
  })

  test('G-69: a cancellation by the server names itself; one of another request is passed over', async () => {
    const other = () => ({ method: 'notifications/cancelled', params: { requestId: 'x' } })
    const own = (request: ChannelRequest) => ({
      method: 'notifications/cancelled',
      params: { requestId: request.id, reason: 'restart' },
    })
    expect(await failure(follow(stream([ack, other, own])))).toMatchObject({
      kind: 'cancelled',
      message: 'restart',
    })
  })

  test('G-84: without a handler nothing is sent', async () => {
    const { caller, sent } = scripted({})
    expect(await failure(caller.listen(all, {} as never))).toMatchObject({ kind: 'internal' })
    expect(sent).toEqual([])
  })

  test('CA-9: a change of the tools makes the catalog stale', async () => {
    const { caller, of } = scripted({
      ...stream([ack, tell('tools/list_changed')]),
      'tools/list': tools(echoTool),
      'tools/call': says('ok'),
    })
    const call = { tool: 'echo', arguments: { text: 'a' } }
    await caller.callTool(call)
    await caller.callTool(call)
    expect(of('tools/list')).toHaveLength(1)
    await caller.listen(all, { onEvent: () => undefined })
    await caller.callTool(call)
    expect(of('tools/list')).toHaveLength(2)
  })
})

describe('subscribe', () => {
  const ack = acknowledge({ toolsListChanged: true })

  test('is the same as a loop, which ends with the subscription', async () => {
    const { caller } = scripted(stream([ack, tell('tools/list_changed')]))
    const kinds: string[] = []
    for await (const { kind } of caller.subscribe(all)) kinds.push(kind)
    expect(kinds).toEqual(['acknowledged', 'tools_changed'])
  })

  test('leaving the loop ends the subscription, and a loss is thrown out of it', async () => {
    let signal: AbortSignal | undefined
    const open = scripted(
      stream([ack], (request) => {
        signal = request.signal
        return new Promise((_resolve, reject) => {
          request.signal!.addEventListener('abort', () =>
            reject(new OutcomeUnknownError(request.signal!.reason)),
          )
        })
      }),
    )
    for await (const { kind } of open.caller.subscribe(all)) if (kind === 'acknowledged') break
    expect(signal?.aborted).toBe(true)
    const lost = scripted(stream([ack], throws(new OutcomeUnknownError(new ConnectionLostError()))))
    const loop = async () => {
      for await (const event of lost.caller.subscribe(all)) expect(event.kind).toBe('acknowledged')
    }
    expect(await failure(loop())).toMatchObject({ kind: 'connection' })
  })
})
