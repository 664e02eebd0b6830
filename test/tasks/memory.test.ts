import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handleTask, memoryTaskRunner } from 'castellan/tasks'
import { createClient, httpCaller, waitForTask } from 'castellan/client'
import { defineTaskTool } from 'castellan'
import { listenGuarded, type GuardedServer } from '../fastify/guarded.js'
import { listen, type RunningServer } from '../fastify/server.js'
import { modern, post } from '../wire.js'
import { create, ended, send, until } from './wire.js'
import { taskTools } from './tools.js'

let open: RunningServer
const seen = { started: [] as string[], aborted: [] as string[] }

beforeAll(async () => {
  open = await listen({ tools: taskTools(memoryTaskRunner({ pollIntervalMs: 10 }), seen) })
})
afterAll(() => open.app.close())

describe('the extension', () => {
  test('TK-1: stands in discovery with empty settings, and no capability `tasks`', async () => {
    const { json } = await post(open.url, modern('server/discover'))
    expect(json.result.capabilities.extensions).toEqual({ 'io.modelcontextprotocol/tasks': {} })
    expect(json.result.capabilities).not.toHaveProperty('tasks')
  })

  test('TK-5, TK-6: a created task is flat and can be read at once', async () => {
    const task = await create(open.url, 'count', { steps: 2 })
    expect(task).toMatchObject({
      resultType: 'task',
      status: 'working',
      ttlMs: 3_600_000,
      pollIntervalMs: 10,
    })
    for (const absent of ['task', 'ttl', 'pollInterval', 'result', 'error', 'inputRequests', 'requestState'])
      expect(task).not.toHaveProperty(absent)
    expect(new Date(task.createdAt).toISOString()).toBe(task.createdAt)
    const { json } = await send(open.url, 'tasks/get', { taskId: task.taskId })
    expect(json.result).toMatchObject({ resultType: 'complete', taskId: task.taskId })
  })

  test('TK-8: a completed task has exactly the result of the call', async () => {
    const { taskId } = await create(open.url, 'count', { steps: 2 })
    const task = await until(open.url, taskId, ended)
    const atOnce = await post(open.url, modern('tools/call', { name: 'count', arguments: { steps: 2 } }))
    const { _meta, ...result } = atOnce.json.result
    expect(_meta).toBeDefined()
    expect(task).toMatchObject({ status: 'completed', result })
  })

  test.each([
    ['TK-9, B134: a tool error is completed', 'tool', { status: 'completed', result: { isError: true } }],
    [
      'TK-8, B134: a JSON-RPC error thrown on purpose is failed',
      'rpc',
      { status: 'failed', error: { code: -32602, message: 'Refused on purpose', data: { why: 'test' } } },
    ],
    [
      'anything else is failed and masked',
      'bug',
      { status: 'failed', error: { code: -32603, message: 'Internal error' } },
    ],
    [
      'a broken output schema is failed and masked',
      'schema',
      { status: 'failed', error: { message: 'Internal error' } },
    ],
  ])('%s', async (_name, how, expected) => {
    const { taskId } = await create(open.url, 'fails', { how })
    const task = await until(open.url, taskId, ended)
    expect(task).toMatchObject(expected)
    expect(JSON.stringify(task)).not.toContain('secret')
    expect('result' in task && 'error' in task).toBe(false)
  })

  test('TK-3, B136: without the declaration an optional tool answers at once, a required one is -32021', async () => {
    const capabilities = { tasks: {} }
    const optional = await send(open.url, 'tools/call', { name: 'count', arguments: {} }, { capabilities })
    expect(optional.json.result).toMatchObject({ resultType: 'complete', structuredContent: { counted: 3 } })
    const refused = await send(open.url, 'tools/call', { name: 'required' }, { capabilities })
    expect(refused.status).toBe(400)
    expect(refused.json.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
  })

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'TK-16: %s asks for the capability first, then -32602 for an unknown id',
    async (method) => {
      const params = { taskId: 'count~nobody', inputResponses: {} }
      const undeclared = await send(open.url, method, params, { capabilities: {} })
      expect([undeclared.status, undeclared.json.error.code]).toEqual([400, -32021])
      for (const taskId of ['count~nobody', 'nothing', `count~${'a'.repeat(24)}`, 'other~x']) {
        const unknown = await send(open.url, method, { ...params, taskId })
        expect([unknown.status, unknown.json.error.code]).toEqual([200, -32602])
      }
    },
  )

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'TK-17, B135: %s checks Mcp-Name',
    async (method) => {
      const { taskId } = await create(open.url, 'count')
      const params = { taskId, inputResponses: {} }
      for (const name of ['other', undefined]) {
        const answer = await send(open.url, method, params, { headers: { 'mcp-name': name } })
        expect([answer.status, answer.json.error.code]).toEqual([400, -32020])
      }
      const wrapped = `=?base64?${Buffer.from(taskId).toString('base64')}?=`
      expect((await send(open.url, method, params, { headers: { 'mcp-name': wrapped } })).status).toBe(200)
    },
  )

  test.each(['tasks/list', 'tasks/result'])('TK-20: there is no %s', async (method) => {
    const { json } = await send(open.url, method, { taskId: 'x' })
    expect(json.error.code).toBe(-32601)
  })

  test('TK-20: under 2025-11-25 a required tool explains itself and an optional one answers', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const call = (name: string) =>
      post(open.url, { headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } } })
    expect((await call('required')).json.result).toMatchObject({ isError: true })
    expect((await call('count')).json.result).toMatchObject({ structuredContent: { counted: 3 } })
  })
})

describe('questions', () => {
  test('TK-10, TK-11: partial answers leave the rest, unknown keys are ignored, a wrong answer is asked anew', async () => {
    const { taskId } = await create(open.url, 'remove', { file: 'a.txt' })
    const asking = await until(open.url, taskId, ({ status }) => status === 'input_required')
    expect(Object.keys(asking.inputRequests).sort()).toEqual(['confirm', 'note'])
    const answer = (inputResponses: object) => send(open.url, 'tasks/update', { taskId, inputResponses })
    const ack = await answer({ confirm: { action: 'accept', content: { sure: true } }, other: 5 })
    expect({ ...ack.json.result, _meta: undefined }).toEqual({ resultType: 'complete' })
    const rest = await until(open.url, taskId, () => true)
    expect(Object.keys(rest.inputRequests)).toEqual(['note'])
    await answer({ note: { action: 'accept', content: { why: 7 } } })
    const anew = await until(open.url, taskId, ({ inputRequests = {} }) => 'note:again-2' in inputRequests)
    expect(Object.keys(anew.inputRequests)).toEqual(['note:again-2'])
    expect((await answer({ 'note:again-2': { action: 'perhaps' } })).json.error.code).toBe(-32602)
    expect((await answer([])).json.error.code).toBe(-32602)
    await answer({ 'note:again-2': { action: 'accept', content: { why: 'old' } } })
    const done = await until(open.url, taskId, ended)
    expect(done.result.content).toEqual([{ type: 'text', text: 'Removed: old' }])
  })

  test('TK-13: a client that cannot be asked gets no question', async () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const created = await send(
      open.url,
      'tools/call',
      { name: 'remove', arguments: { file: 'x' } },
      { capabilities },
    )
    const task = await until(open.url, created.json.result.taskId, ended)
    expect(task).toMatchObject({ status: 'failed', error: { code: -32021 } })
  })
})

describe('cancelling', () => {
  test('TK-7, TK-10, TK-14, B133: reaches the handler, and nothing changes an ended task', async () => {
    const { taskId } = await create(open.url, 'forever')
    const ack = await send(open.url, 'tasks/cancel', { taskId })
    expect({ ...ack.json.result, _meta: undefined }).toEqual({ resultType: 'complete' })
    expect(await until(open.url, taskId, ended)).toMatchObject({ status: 'cancelled' })
    expect(seen.aborted).toEqual(['The task has ended'])
    const finished = await create(open.url, 'count')
    const before = await until(open.url, finished.taskId, ended)
    expect((await send(open.url, 'tasks/cancel', { taskId: finished.taskId })).json.result.resultType).toBe(
      'complete',
    )
    expect(await until(open.url, finished.taskId, ended)).toEqual(before)
  })

  test('when its time is over the handler is aborted and the task unknown', async () => {
    const short = { started: [] as string[], aborted: [] as string[] }
    const server = await listen({ tools: taskTools(memoryTaskRunner({ ttlMs: 60 }), short) })
    const { taskId } = await create(server.url, 'forever')
    const gone = await until(server.url, taskId, () => false)
    expect(gone.error.code).toBe(-32602)
    expect(short.aborted).toHaveLength(1)
    await server.app.close()
  })
})

describe('owners', () => {
  let guarded: GuardedServer
  const export_ = defineTaskTool({
    name: 'export',
    description: 'Exports',
    scopes: ['notes:read'],
    task: 'required',
  })
  beforeAll(async () => {
    const runner = memoryTaskRunner()
    const exporting = handleTask(export_, runner, (_input, { principal }) => `For ${principal.subject}`)
    guarded = await listenGuarded({ tools: [exporting] })
  })
  afterAll(() => guarded.stop())

  test('TK-19, B132, G-151: another subject knows nothing of a task, and the scopes of its tool are needed', async () => {
    const alice = await guarded.bearer(['mcp', 'notes:read'])
    const bob = await guarded.bearer(['mcp', 'notes:read'], 'bob')
    const poor = await guarded.bearer(['mcp'])
    const { taskId } = await create(guarded.url, 'export', {}, alice)
    expect(taskId.split('~')[1]).toMatch(/^[\w-]{24}$/)
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId, inputResponses: {} }
      const foreign = await send(guarded.url, method, params, { headers: bob })
      const unknown = await send(
        guarded.url,
        method,
        { ...params, taskId: `export~${'a'.repeat(24)}` },
        { headers: bob },
      )
      expect(foreign.json).toEqual(unknown.json)
      const lacking = await send(guarded.url, method, params, { headers: poor })
      expect(lacking.status).toBe(403)
      expect(lacking.headers.get('www-authenticate')).toContain('notes:read')
    }
    const task = await until(guarded.url, taskId, ended, alice)
    expect(task.result.content[0].text).toBe('For alice')
  })
})

describe('Castellan clients', () => {
  test('TK-12, G-148: callRaw and waitForTask take a task to its end and answer each question once', async () => {
    const asked: string[] = []
    const onInput = {
      form: (_request: unknown, { key }: { key: string }) => {
        asked.push(key)
        const content = key === 'confirm' ? { sure: true } : { why: 'tests' }
        return { action: 'accept' as const, content }
      },
    }
    const client = createClient(
      httpCaller({
        clientInfo: { name: 'test', version: '1' },
        endpoint: open.url,
        onInput,
        allowLoopbackHttp: true,
      } as never),
    )
    const started = await client.callRaw('remove', { file: 'b.txt' }, { taskSupport: true })
    if (started.status !== 'task') throw new Error('no task')
    const task = await waitForTask(client.caller, started.task.taskId, { onInput })
    expect(task.status === 'completed' && task.result.content).toEqual([
      { type: 'text', text: 'Removed: tests' },
    ])
    expect(asked.sort()).toEqual(['confirm', 'note'])
    await client.close()
  })
})

test('100 tasks in parallel each come to their own end', async () => {
  const steps = Array.from({ length: 100 }, (_, index) => (index % 5) + 1)
  const tasks = await Promise.all(steps.map((one) => create(open.url, 'count', { steps: one })))
  expect(new Set(tasks.map(({ taskId }) => taskId)).size).toBe(100)
  const done = await Promise.all(tasks.map(({ taskId }) => until(open.url, taskId, ended)))
  expect(done.map(({ result }) => result.structuredContent.counted)).toEqual(steps)
})
