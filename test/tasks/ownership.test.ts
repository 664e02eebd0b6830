import { describe, expect, onTestFinished, test } from 'vitest'
import { defineTaskTool } from 'castellan'
import { memoryChanges } from 'castellan/fastify'
import { handleTask, memoryTaskRunner, type TaskObservation } from 'castellan/tasks'
import { z } from 'zod'
import { listenGuarded, type GuardedServer } from '../fastify/guarded.js'
import { listen } from '../fastify/server.js'
import { meta, modern } from '../wire.js'
import { engines } from './engines.js'
import { count, forever } from './tools.js'
import { create, declared, ended, send, until } from './wire.js'

const path = '/tenants/:tenant/mcp'
const methods = ['tasks/get', 'tasks/update', 'tasks/cancel']
const nobodys = `forever~${'a'.repeat(24)}`

/** The ids that are acknowledged on a stream that begins. */
async function followed(url: string, taskIds: readonly string[], bearer: object): Promise<readonly string[]> {
  const _meta = meta({ 'io.modelcontextprotocol/clientCapabilities': declared })
  const { body, headers } = modern('subscriptions/listen', { _meta, notifications: { taskIds } })
  const init = { method: 'POST', headers: { ...headers, ...bearer }, body: JSON.stringify(body) }
  const reader = (await fetch(url, init)).body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  const first = Buffer.from(value).toString().split('data: ')[1]!.split('\n')[0]!
  return JSON.parse(first).params.notifications.taskIds ?? []
}

function at(server: GuardedServer, tenant: string): string {
  return `http://127.0.0.1:${String(server.port)}/tenants/${tenant}/mcp`
}

test.each(engines)('TK-19: %s, a task is unknown under other values of the URL', async (_name, open) => {
  await using engine = await open()
  const changes = memoryChanges()
  const runner = engine.runner({ changes })
  const tools = [
    handleTask(forever, runner, async (_input, { signal, route }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return route['tenant'] ?? ''
    }),
    handleTask(count, runner, () => ({ counted: 1 })),
  ]
  const server = await listenGuarded({ path, changes, tools })
  onTestFinished(() => server.stop())
  const alice = await server.bearer()
  const { taskId } = await create(at(server, 'a'), 'forever', {}, alice)
  for (const method of methods) {
    const ask = (id: string) =>
      send(at(server, 'b'), method, { taskId: id, inputResponses: {} }, { headers: alice })
    expect((await ask(taskId)).json).toEqual((await ask(nobodys)).json)
  }
  expect(await followed(at(server, 'b'), [taskId], alice)).toEqual([])
  expect(await followed(at(server, 'a'), [taskId, nobodys], alice)).toEqual([taskId])
  expect(await until(at(server, 'a'), taskId, () => true, alice)).toMatchObject({ status: 'working' })
  await send(at(server, 'a'), 'tasks/cancel', { taskId }, { headers: alice })
  expect(await until(at(server, 'a'), taskId, ended, alice)).toMatchObject({ status: 'cancelled' })
})

test('the schema of a tool for the URL is asked for its tasks, too', async () => {
  const numbered = defineTaskTool({
    name: 'numbered',
    description: 'Belongs to a numbered tenant',
    route: z.object({ tenant: z.string().regex(/^\d+$/).transform(Number) }),
    task: 'required',
  })
  const now = new Date().toISOString()
  const jobs = new Map<number, TaskObservation<typeof numbered>>()
  const seen: number[] = []
  const facts = { createdAt: now, lastUpdatedAt: now, ttlMs: null, status: 'working' as const }
  const own = handleTask(numbered, {
    create(_input, { route }) {
      const job = { ...facts, taskId: `of-${String(route.tenant)}` }
      jobs.set(route.tenant, job)
      return job
    },
    read(taskId, { route }) {
      const job = jobs.get(route.tenant)
      return job?.taskId === taskId ? job : undefined
    },
    answer: (_id, _responses, { route }) => void seen.push(route.tenant),
    cancel: (_id, { route }) => void seen.push(route.tenant),
  })
  const changes = memoryChanges()
  const server = await listen({ path, changes, tools: [own] })
  onTestFinished(() => server.app.close())
  const url = (tenant: string) => `http://127.0.0.1:${String(server.port)}/tenants/${tenant}/mcp`
  const { taskId } = await create(url('7'), 'numbered')
  expect(taskId).toBe('numbered~of-7')
  for (const method of methods) {
    const answer = (tenant: string) => send(url(tenant), method, { taskId, inputResponses: {} })
    expect((await answer('7')).json.result).toBeDefined()
    expect((await answer('8')).json.error).toMatchObject({ code: -32602, message: 'Unknown task' })
    const invalid = await answer('seven')
    expect([invalid.status, invalid.json.error.code]).toEqual([400, -32602])
  }
  expect(seen).toEqual([7])
  expect(await followed(url('7'), [taskId], {})).toEqual([taskId])
  expect(await followed(url('8'), [taskId], {})).toEqual([])
  expect(await followed(url('seven'), [taskId], {})).toEqual([])
})

describe('hideUnauthorized', () => {
  test.each(methods)('TK-19, G-151: %s tells nothing of a task of a tool out of reach', async (method) => {
    const secret = defineTaskTool({
      name: 'secret',
      description: 'Is hidden',
      scopes: ['notes:read'],
      task: 'required',
    })
    const changes = memoryChanges()
    const tool = handleTask(secret, memoryTaskRunner({ changes }), () => 'done')
    const server = await listenGuarded({ hideUnauthorized: true, changes, tools: [tool] })
    onTestFinished(() => server.stop())
    const able = await server.bearer(['mcp', 'notes:read'])
    const lacking = await server.bearer(['mcp'])
    const { taskId } = await create(server.url, 'secret', {}, able)
    const ask = (id: string, headers: { authorization: string }) =>
      send(server.url, method, { taskId: id, inputResponses: {} }, { headers })
    const hidden = await ask(taskId, lacking)
    expect(hidden.status).toBe(200)
    expect(hidden.headers.get('www-authenticate')).toBeNull()
    expect(hidden.json).toEqual((await ask('nothing~x', lacking)).json)
    expect(await followed(server.url, [taskId], lacking)).toEqual([])
    expect((await ask(taskId, able)).json.result).toBeDefined()
    expect(await followed(server.url, [taskId], able)).toEqual([taskId])
  })
})
