import { expect, test } from 'vitest'
import { defineTaskTool, ToolError } from 'castellan'
import { memoryChanges } from 'castellan/fastify'
import { handleTask, memoryTaskRunner, type TaskObservation } from 'castellan/tasks'
import { z } from 'zod'
import { listen } from '../fastify/server.js'
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

test('TK-15: listen streams tell the whole task, only for ids that are the caller’s', async () => {
  const changes = memoryChanges()
  const { app, url } = await listen({ tools: taskTools(memoryTaskRunner({ changes })), changes })
  const { taskId } = await create(url, 'forever')
  const _meta = meta({ 'io.modelcontextprotocol/clientCapabilities': declared })
  const { body, headers } = modern('subscriptions/listen', {
    _meta,
    notifications: { taskIds: [taskId, 'forever~nobody'] },
  })
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array)
    if (text.includes('"working"') && !text.includes('"cancelled"'))
      await send(url, 'tasks/cancel', { taskId })
    if (text.includes('"cancelled"')) break
  }
  const told = events(text)
  expect(told[0].params.notifications).toEqual({ taskIds: [taskId] })
  const last = told.at(-1)
  expect(last).toMatchObject({ method: 'notifications/tasks', params: { taskId, status: 'cancelled' } })
  expect(last.params).not.toHaveProperty('resultType')
  await app.close()
})
