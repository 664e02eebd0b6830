import { afterEach, describe, expect, test } from 'vitest'
import { closeAll, progressing, rejection, scripted, send } from './scripted.js'

afterEach(closeAll)

/** A promise and the function that resolves it. */
function gate() {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

describe('a server that does not read', () => {
  const text = 'x'.repeat(64 * 1024)
  const resume = (pid: number) => process.kill(pid, 'SIGUSR2')

  test('G-69 requests wait their turn and all arrive, in order, when it reads again', async () => {
    const channel = scripted()
    const { pid } = await send(channel, 'stall')
    const sent = Array.from({ length: 50 }, (_, n) => send(channel, 'echo', { n, text }))
    await turns(50)
    resume(pid)
    const answers = await Promise.all(sent)
    expect(answers.map(({ params }) => params.n)).toEqual(Array.from({ length: 50 }, (_, n) => n))
    const { seen } = await send(channel, 'seen')
    expect(seen.slice(1, -1).map(({ params }: any) => params.n)).toEqual(
      Array.from({ length: 50 }, (_, n) => n),
    )
  })

  test('G-101 a request that waits its turn is not sent once its signal aborts', async () => {
    const channel = scripted()
    const { pid } = await send(channel, 'stall')
    const filling = Array.from({ length: 20 }, () => send(channel, 'echo', { text }))
    const reason = new Error('no longer wanted')
    const controller = new AbortController()
    const waiting = rejection(send(channel, 'echo', { unwanted: true }, { signal: controller.signal }))
    await turns(20)
    controller.abort(reason)
    expect(await waiting).toBe(reason)
    resume(pid)
    await Promise.all(filling)
    const { seen } = await send(channel, 'seen')
    expect(
      seen.filter(({ params }: any) => params?.unwanted === true || params?.requestId !== undefined),
    ).toEqual([])
  })

  test('a server that dies: what was written is unknown, what waited was not sent', async () => {
    const channel = scripted()
    const { pid } = await send(channel, 'stall')
    const all = Array.from({ length: 40 }, () => rejection(send(channel, 'echo', { text })))
    await turns(20)
    process.kill(pid, 'SIGKILL')
    const names = (await Promise.all(all)).map(({ name }) => name as string)
    expect(names[0]).toBe('OutcomeUnknownError')
    expect(names.at(-1)).toBe('ConnectionLostError')
    expect(new Set(names)).toEqual(new Set(['OutcomeUnknownError', 'ConnectionLostError']))
  })
})

describe('a callback that is slow', () => {
  test('holds back a server that floods, and loses nothing', async () => {
    const channel = scripted()
    const [begun, slow] = [gate(), gate()]
    const { params } = progressing('f', { count: 20_000, size: 1_000 })
    const seen: number[] = []
    const flooding = send(channel, 'flood', params, {
      onNotification: async ({ params: { progress } }) => {
        seen.push(progress as number)
        begun.open()
        await slow.opened
      },
    })
    await begun.opened
    await turns(200)
    expect(seen).toEqual([1])
    slow.open()
    expect(await flooding).toEqual({ count: 20_000 })
    expect(seen).toEqual(Array.from({ length: 20_000 }, (_, index) => index + 1))
  })

  test('may wait for another request of the same channel while its server floods', async () => {
    const channel = scripted()
    const { params } = progressing('f', { count: 5_000, size: 1_000 })
    const echoed: unknown[] = []
    const flooding = send(channel, 'flood', params, {
      onNotification: async ({ params: { progress } }) => {
        if ((progress as number) % 1_000 === 1)
          echoed.push((await send(channel, 'echo', { progress })).params.progress)
      },
    })
    expect(await flooding).toEqual({ count: 5_000 })
    expect(echoed).toEqual([1, 1_001, 2_001, 3_001, 4_001])
  })

  test('does not hold back the answers of others; past a bound its own request is given up', async () => {
    const channel = scripted()
    const bystander = rejection(send(channel, 'hold', {}, { id: 'bystander' }))
    const { params } = progressing('f', { count: 30_000, size: 1_000 })
    const flooding = rejection(
      send(channel, 'flood', params, {
        id: 'flood',
        onNotification: () => new Promise<void>(() => undefined),
      }),
    )
    expect(await flooding).toMatchObject({
      name: 'OutcomeUnknownError',
      cause: { name: 'MalformedResponseError' },
    })
    expect(await send(channel, 'echo', { still: 'here' })).toEqual({ params: { still: 'here' } })
    const { seen } = await send(channel, 'seen')
    expect(seen).toContainEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'flood' },
    })
    await channel.close()
    await bystander
  })

  test('does not keep a channel from closing', async () => {
    const channel = scripted()
    const { params } = progressing('f', { count: 20_000, size: 1_000 })
    const begun = gate()
    const onNotification = () => {
      begun.open()
      return new Promise<void>(() => undefined)
    }
    const first = rejection(send(channel, 'flood', params, { onNotification }))
    await begun.opened
    await turns(100)
    await channel.close()
    expect(await first).toMatchObject({ name: 'OutcomeUnknownError', cause: { name: 'ConnectionLostError' } })
  })
})

test('a request without a callback reads past any number of notifications', async () => {
  const channel = scripted()
  const { params } = progressing('f', { count: 20_000, size: 500 })
  expect(await send(channel, 'flood', params)).toEqual({ count: 20_000 })
})
