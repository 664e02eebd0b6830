import { expect, test } from 'vitest'
import { defineTaskTool, ToolError } from 'castellan'
import { memoryChanges, redisChanges, type Changes } from 'castellan/fastify'
import { handleTask, memoryTaskRunner, type TaskObservation } from 'castellan/tasks'
import { createClient } from 'redis'
import { z } from 'zod'
import { listen } from '../fastify/server.js'
import { redisIsInstalled, startRedis } from '../store/redis.js'
import { events, meta, modern } from '../wire.js'
import { create, declared, ended, send, until } from './wire.js'
import { taskTools } from './tools.js'

const job = defineTaskTool({
  name: 'job',
  description: 'A job',
  output: z.object({ n: z.int() }),
  task: 'required',
})

test('G-142, G-143, G-144, G-145, G-146: a service that keeps its jobs itself', async () => {
  const now = new Date().toISOString()
  const facts = { taskId: 'seven', createdAt: now, lastUpdatedAt: now, ttlMs: null }
  const question = { method: 'elicitation/create', params: { message: 'Go?', requestedSchema: {} } } as const
  let observed: TaskObservation<typeof job> = {
    ...facts,
    status: 'input_required',
    requests: { go: question },
  }
  const heard: unknown[] = []
  const bound = handleTask(job, {
    create: () => observed,
    read: (id) => (id === 'seven' ? observed : undefined),
    answer: (id, responses) => void heard.push([id, responses]),
    cancel: (id) => void heard.push([id, 'cancel']),
  })
  const { app, url } = await listen({ tools: [bound] })
  const { taskId, ...created } = await create(url, 'job')
  expect(created).toMatchObject({ resultType: 'task', status: 'input_required', ttlMs: null })
  expect(created).not.toHaveProperty('inputRequests')
  expect((await until(url, taskId, () => true)).inputRequests).toEqual({ go: question })
  await send(url, 'tasks/update', { taskId, inputResponses: { go: { action: 'decline' }, late: {} } })
  await send(url, 'tasks/update', { taskId, inputResponses: {} })
  await send(url, 'tasks/cancel', { taskId })
  observed = { ...facts, status: 'completed', result: new ToolError('Too late') }
  await send(url, 'tasks/cancel', { taskId })
  expect(heard).toEqual([
    ['seven', { go: { action: 'decline' } }],
    ['seven', 'cancel'],
  ])
  expect((await until(url, taskId, ended)).result).toMatchObject({ isError: true })
  observed = { ...facts, status: 'completed', result: { n: 7 } }
  expect((await until(url, taskId, ended)).result).toMatchObject({ structuredContent: { n: 7 } })
  await app.close()
})

interface Buses {
  readonly changes: readonly Changes[]
  readonly close: () => Promise<void>
}

/** Two instances, each with its bus, of which one has the task and the other the stream. */
const buses: [string, () => Promise<Buses>][] = [
  [
    'in memory',
    () => {
      const changes = memoryChanges()
      return Promise.resolve({ changes: [changes, changes], close: () => Promise.resolve() })
    },
  ],
]
if (redisIsInstalled) {
  buses.push([
    'over Redis',
    async () => {
      const redis = await startRedis()
      const open = () =>
        createClient({ url: redis.url })
          .on('error', () => undefined)
          .connect()
      const clients = await Promise.all([open(), open()])
      const close = async () => {
        for (const client of clients) client.destroy()
        await redis.close()
      }
      return { changes: clients.map((client) => redisChanges(client)), close }
    },
  ])
}

test.each(buses)(
  'TK-15: %s, listen streams tell the whole task, only for ids that are the caller’s',
  async (_name, open) => {
    const {
      changes: [own, others],
      close,
    } = await open()
    const runner = memoryTaskRunner({ changes: own! })
    const one = await listen({ tools: taskTools(runner), changes: own! })
    const withoutOwnWork = { ...runner, bind: () => undefined }
    const other = await listen({ tools: taskTools(withoutOwnWork), changes: others! })
    const { taskId } = await create(one.url, 'forever')
    const _meta = meta({ 'io.modelcontextprotocol/clientCapabilities': declared })
    const { body, headers } = modern('subscriptions/listen', {
      _meta,
      notifications: { taskIds: [taskId, 'forever~nobody'] },
    })
    const response = await fetch(other.url, { method: 'POST', headers, body: JSON.stringify(body) })
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array)
      if (text.includes('"working"') && !text.includes('"cancelled"'))
        await send(one.url, 'tasks/cancel', { taskId })
      if (text.includes('"cancelled"')) break
    }
    const told = events(text)
    expect(told[0].params.notifications).toEqual({ taskIds: [taskId] })
    const last = told.at(-1)
    expect(last).toMatchObject({ method: 'notifications/tasks', params: { taskId, status: 'cancelled' } })
    expect(last.params).not.toHaveProperty('resultType')
    await Promise.all([one.app.close(), other.app.close()])
    await runner.close()
    await close()
  },
)
