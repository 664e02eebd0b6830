import { afterEach, describe, expect, test } from 'vitest'
import { closeAll, progressing, rejection, scripted, send } from './scripted.js'

afterEach(closeAll)

describe('ST-3 G-69 many operations on one process', () => {
  test('a thousand concurrent operations, answered in scrambled order, each get their own answer', async () => {
    const channel = scripted()
    const all = 1_000
    const { signal } = new AbortController()
    const answers = await Promise.all(
      Array.from({ length: all }, (_, value) => send(channel, 'gather', { value, all }, { signal })),
    )
    expect(answers.map(({ value }) => value)).toEqual(Array.from({ length: all }, (_, value) => value))
  })

  test('progress goes to the request whose token it bears, of its very type', async () => {
    const channel = scripted()
    const [words, number] = [progressing('7', { values: [1, 2] }), progressing(7, { values: [3, 4] })]
    await Promise.all([
      send(channel, 'steps', words.params, words),
      send(channel, 'steps', number.params, number),
    ])
    expect([words.values(), number.values()]).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  test('notifications arrive in order, one at a time, all before the answer', async () => {
    const channel = scripted()
    const order: string[] = []
    const { params } = progressing('p', { values: [1, 2, 3] })
    await send(channel, 'steps', params, {
      onNotification: async ({ params: { progress } }) => {
        order.push(`start ${String(progress)}`)
        await new Promise((resolve) => setImmediate(resolve))
        order.push(`end ${String(progress)}`)
      },
    })
    order.push('answer')
    expect(order).toEqual(['start 1', 'end 1', 'start 2', 'end 2', 'start 3', 'end 3', 'answer'])
  })

  test('answers of unknown ids, of ids of another type and late ones are ignored', async () => {
    const channel = scripted()
    const text = ['"nobody"', '12', 'null', '"mine-1"', '"mine-1"']
      .map((id, index) => `{"jsonrpc":"2.0","id":${id},"result":{"n":${index}}}\n`)
      .join('')
    expect(await send(channel, 'raw', { text }, { id: 'mine-1' })).toEqual({ n: 3 })
    expect(await send(channel, 'echo', { still: 'here' })).toEqual({ params: { still: 'here' } })
  })

  test('an error answer is RpcError with code, message and data', async () => {
    const channel = scripted()
    const text = '{"jsonrpc":"2.0","id":"e","error":{"code":-32602,"message":"No","data":{"a":1}}}\n'
    expect(await rejection(send(channel, 'raw', { text }, { id: 'e' }))).toMatchObject({
      name: 'RpcError',
      rpc: -32602,
      message: 'No',
      data: { a: 1 },
      status: undefined,
    })
  })

  test('an id in use is refused before anything is sent', async () => {
    const channel = scripted()
    const first = progressing('t')
    const holding = send(channel, 'hold', first.params, { id: 'same', ...first })
    expect(await rejection(send(channel, 'echo', {}, { id: 'same' }))).toMatchObject({
      name: 'InternalClientError',
    })
    await send(channel, 'release')
    expect(await holding).toEqual({ late: true })
  })
})
