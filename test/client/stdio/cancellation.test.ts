import { afterEach, describe, expect, test } from 'vitest'
import { closeAll, progressing, rejection, scripted, send } from './scripted.js'

afterEach(closeAll)

const reason = new Error('enough')

/** A request the server holds; resolves when it has begun. */
async function held(channel: ReturnType<typeof scripted>, id: string) {
  const controller = new AbortController()
  let failed: Promise<any> = Promise.resolve()
  await new Promise<void>((resolve) => {
    const { params } = progressing(`p-${id}`)
    failed = rejection(
      send(channel, 'hold', params, { id, signal: controller.signal, onNotification: () => resolve() }),
    )
  })
  return { controller, failed }
}

const cancellations = async (channel: ReturnType<typeof scripted>) =>
  (await send(channel, 'seen')).seen.filter(({ method }: any) => method === 'notifications/cancelled')

describe('local cancellation', () => {
  test('G-69 CN-1 an abort tells the server the real id, and the outcome is unknown', async () => {
    const channel = scripted()
    const { controller, failed } = await held(channel, 'first')
    controller.abort(reason)
    expect(await failed).toMatchObject({
      name: 'OutcomeUnknownError',
      code: 'ERR_OUTCOME_UNKNOWN',
      cause: reason,
    })
    expect(await cancellations(channel)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'first' } },
    ])
  })

  test('CN-5 the late answer of a cancelled request is dropped', async () => {
    const channel = scripted()
    const { controller, failed } = await held(channel, 'late')
    controller.abort(reason)
    await failed
    expect(await send(channel, 'release')).toEqual({})
    expect(await send(channel, 'echo', { a: 1 })).toEqual({ params: { a: 1 } })
  })

  test('G-101 an abort seen before sending sends nothing', async () => {
    const channel = scripted()
    expect(await rejection(send(channel, 'echo', {}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    const { seen } = await send(channel, 'seen')
    expect(seen).toHaveLength(1)
  })

  test('CN-2 an abort after the answer tells the server nothing', async () => {
    const channel = scripted()
    const controller = new AbortController()
    await send(channel, 'echo', {}, { signal: controller.signal })
    controller.abort(reason)
    expect(await cancellations(channel)).toEqual([])
  })

  test('what a callback throws ends the request and tells the server', async () => {
    const channel = scripted()
    const onNotification = () => {
      throw reason
    }
    const { params } = progressing('t')
    const failed = await rejection(send(channel, 'hold', params, { id: 'thrower', onNotification }))
    expect(failed).toMatchObject({ name: 'OutcomeUnknownError', cause: reason })
    expect(await cancellations(channel)).toMatchObject([{ params: { requestId: 'thrower' } }])
  })

  test('a callback that never returns does not keep a request from being aborted', async () => {
    const channel = scripted()
    const controller = new AbortController()
    const { params } = progressing('t', { values: [1, 2] })
    const onNotification = () => {
      queueMicrotask(() => controller.abort(reason))
      return new Promise<void>(() => undefined)
    }
    const failed = rejection(send(channel, 'steps', params, { signal: controller.signal, onNotification }))
    expect(await failed).toMatchObject({ name: 'OutcomeUnknownError', cause: reason })
    expect(await send(channel, 'echo')).toEqual({ params: {} })
  })

  test('a thousand requests may share one signal, and all end with it', async () => {
    const warnings: unknown[] = []
    const warned = (warning: unknown) => void warnings.push(warning)
    process.on('warning', warned)
    const channel = scripted()
    const controller = new AbortController()
    const all = Array.from({ length: 1_000 }, (_, index) =>
      rejection(send(channel, 'hold', {}, { id: `h-${index}`, signal: controller.signal })),
    )
    await send(channel, 'echo')
    controller.abort(reason)
    expect((await Promise.all(all)).filter(({ cause }) => cause === reason)).toHaveLength(1_000)
    expect(await cancellations(channel)).toHaveLength(1_000)
    process.off('warning', warned)
    expect(warnings).toEqual([])
  })
})

describe('cancellation by the server', () => {
  const acknowledged = (told: readonly { method: string }[]) => told.map(({ method }) => method)
  const cancelled = (params: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })

  test('G-69 a subscription ends with SubscriptionCancelledError, after the events before it', async () => {
    const channel = scripted()
    const { told, onNotification } = progressing('unused')
    const then = [cancelled({ requestId: '$id', reason: 'shutting down' })]
    const params = { notifications: {}, uris: ['a:1', 'a:2'], then }
    expect(await rejection(send(channel, 'subscriptions/listen', params, { onNotification }))).toMatchObject({
      name: 'SubscriptionCancelledError',
      message: expect.stringContaining('shutting down'),
    })
    expect(acknowledged(told)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/resources/updated',
      'notifications/resources/updated',
    ])
  })

  test('G-69 malformed ones are ignored, and so are those of anything but a subscription', async () => {
    const channel = scripted()
    const malformed = [
      undefined,
      {},
      [],
      'x',
      { requestId: null },
      { requestId: 5 },
      { requestId: { id: '$id' } },
    ]
    const ending = '{"jsonrpc":"2.0","id":"$id","result":{"resultType":"complete"}}'
    const params = { notifications: {}, then: [...malformed.map(cancelled), ending] }
    expect(await send(channel, 'subscriptions/listen', params)).toEqual({ resultType: 'complete' })
    const text = `${cancelled({ requestId: 'call' })}\n{"jsonrpc":"2.0","id":"call","result":{"ran":true}}\n`
    expect(await send(channel, 'raw', { text }, { id: 'call' })).toEqual({ ran: true })
  })

  test('ST-3 two subscriptions get their own events only, and requests none of them', async () => {
    const channel = scripted()
    const ending = '{"jsonrpc":"2.0","id":"$id","result":{}}'
    const [one, two] = [progressing('1'), progressing('2')]
    const event = (id: string) =>
      `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"${id}"}}}`
    const follow = (uri: string, { onNotification }: typeof one) =>
      send(
        channel,
        'subscriptions/listen',
        { notifications: {}, uris: [uri], then: [event('nobody'), event('call'), ending] },
        { onNotification },
      )
    const call = progressing('call', { text: '{"jsonrpc":"2.0","id":"call","result":{}}\n' })
    const calling = send(channel, 'raw', call.params, { id: 'call', onNotification: call.onNotification })
    await Promise.all([follow('a:1', one), follow('a:2', two), calling])
    expect([one.told[1]?.params['uri'], two.told[1]?.params['uri']]).toEqual(['a:1', 'a:2'])
    expect([one.told.length, two.told.length, call.told.length]).toEqual([2, 2, 0])
  })
})
