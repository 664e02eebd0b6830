import { once } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { bullmqTaskRunner, handleTask, type BullmqTaskRunnerOptions } from 'castellan/tasks'
import { createClient, RESP_TYPES } from 'redis'
import { listen } from '../fastify/server.js'
import { silent } from '../server/harness.js'
import { freePort } from '../store/free-port.js'
import { redisIsInstalled, startRedis } from '../store/redis.js'
import { count, forever, taskTools } from './tools.js'
import { create, ended, send, until } from './wire.js'

test('a logger is asked for at once', () => {
  const options = { connection: { url: 'redis://127.0.0.1:1' }, log: undefined as never }
  expect(() => bullmqTaskRunner(options)).toThrow('`log`')
})

function runnerOver(connection: BullmqTaskRunnerOptions['connection']) {
  return bullmqTaskRunner({ connection, log: silent, pollIntervalMs: 10 })
}

test.each([undefined, null, 'redis://127.0.0.1', { duplicate: () => ({}) }])(
  'what leads to no Redis is refused at once: %j',
  (connection) => {
    expect(() => runnerOver(connection as never)).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
  },
)

describe.skipIf(!redisIsInstalled)('a client of redis', () => {
  test.each([
    ['as it is', {}],
    ['that speaks RESP 3', { RESP: 3 as const }],
    ['that reads texts as bytes', { commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } } }],
    ['that gives up connecting', { socket: { reconnectStrategy: false as const } }],
  ])('%s does the work, stays open, and is all that is left after closing', async (_how, options) => {
    await using redis = await startRedis()
    const client = createClient({ url: redis.url, ...options }).on('error', () => undefined)
    const bystander = await createClient({ url: redis.url })
      .on('error', () => undefined)
      .connect()
    await client.connect()
    const runner = runnerOver(client)
    const { app, url } = await listen({ tools: taskTools(runner) })
    const { taskId } = await create(url, 'count', { steps: 3 })
    expect(await until(url, taskId, ended)).toMatchObject({ status: 'completed' })
    await app.close()
    await runner.close()
    const names = (await bystander.clientList()).map(({ name }) => name)
    expect(names).toHaveLength(2)
    expect(await client.ping()).toBeDefined()
    client.destroy()
    bystander.destroy()
  })

  test('requests fail at once when Redis was never there, and are served once it is', async () => {
    await using redis = await startRedis()
    await redis.stop()
    const client = createClient({ url: redis.url }).on('error', () => undefined)
    const failed = once(client, 'error')
    const connected = client.connect()
    await failed
    const runner = runnerOver(client)
    const { app, url } = await listen({ tools: taskTools(runner) })
    const refused = await send(url, 'tools/call', { name: 'count', arguments: {} })
    expect(refused.json.error).toMatchObject({ code: -32603 })
    await redis.start()
    await connected
    let task: any
    do task = await create(url, 'count')
    while (task.error !== undefined)
    expect(await until(url, task.taskId, ended)).toMatchObject({ status: 'completed' })
    await app.close()
    await runner.close()
    client.destroy()
  })

  test('closing does not wait for a Redis that never was', async () => {
    const client = createClient({ url: `redis://127.0.0.1:${String(await freePort())}` })
    client.on('error', () => undefined)
    void client.connect().catch(() => undefined)
    const runner = runnerOver(client)
    handleTask(count, runner, () => ({ counted: 0 }))
    await runner.close()
    client.destroy()
  })

  test('closing leaves a handler that heeds no signal alone after a while', async () => {
    await using redis = await startRedis()
    const client = await createClient({ url: redis.url })
      .on('error', () => undefined)
      .connect()
    const runner = runnerOver(client)
    let begun: () => void = () => undefined
    const running = new Promise<void>((resolve) => (begun = resolve))
    const stubborn = handleTask(forever, runner, () => {
      begun()
      return new Promise<string>(() => undefined)
    })
    const { app, url } = await listen({ tools: [stubborn] })
    await create(url, 'forever')
    await running
    const patience = AbortSignal.timeout.bind(AbortSignal)
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => patience(1))
    await runner.close()
    timeout.mockRestore()
    expect(await client.ping()).toBe('PONG')
    client.destroy()
    await app.close()
  })
})
