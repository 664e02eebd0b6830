import { randomBytes } from 'node:crypto'
import { defineTaskTool, defineTool, form, ToolError, urlConsent } from 'castellan'
import { createClient, httpCaller, type InputHandlers } from 'castellan/client'
import { handle, type McpOptions } from 'castellan/fastify'
import { handleTask, memoryTaskRunner } from 'castellan/tasks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { listenGuarded } from '../fastify/guarded.js'
import { create, ended, send, until } from '../tasks/wire.js'
import { canaries, type Canaries } from './canaries.js'
import { canary } from './secrets.js'

async function guarded(found: Canaries, options: Partial<McpOptions>) {
  const server = await listenGuarded({ audit: found.audit, span: found.span, ...options })
  onTestFinished(() => server.stop())
  return server
}

describe('G26 what travels between the rounds of a question', () => {
  const remembered = canary('remembered')
  const address = `https://${canary('host').slice(0, 8).replaceAll(/\W|_/g, 'x')}.example.com/?sig=${encodeURIComponent(canary('sig'))}`
  const tool = defineTool({
    name: 'transfer',
    description: 'Asks before it acts',
    input: z.object({ to: z.string().default('bob') }),
    inputs: { sure: form(z.object({ ok: z.boolean() })), visit: urlConsent() },
    scopes: [],
  })
  const transfer = handle(tool, async (_input, { input }) => {
    input.state.set(remembered)
    const { action } = await input.sure({ message: 'Sure?' })
    await input.visit({
      message: 'Sign',
      url: `https://sign.example.com/?sig=${encodeURIComponent(canary('sig'))}`,
    })
    if (action === 'decline') throw new Error('A handler that fails in its last round')
    return action
  })

  test('is shown to nobody, whoever sends it again and however spoiled', async () => {
    const found = canaries()
    const keys = [{ id: 'own', key: randomBytes(32) }]
    found.secrets.addBytes('key of the state', keys[0]!.key)
    found.secrets.add('remembered', remembered)
    const server = await guarded(found, { tools: [transfer], inputState: { keys } })
    const other = await guarded(found, { tools: [transfer] })
    const [alice, bob] = [await server.bearer(), await server.bearer(['mcp'], 'bob')]
    const call = (headers: Record<string, string>, more: object = {}, url = server.url) =>
      send(url, 'tools/call', { name: 'transfer', ...more }, { headers })
    const first = (await call(alice)).json.result as { requestState: string }
    found.seen('opened', Buffer.from(first.requestState, 'base64url').toString('latin1'))
    const { requestState } = first
    const inputResponses = { sure: { action: 'accept', content: { ok: true } } }
    const spoiled = [
      requestState.slice(0, -4),
      requestState.replace('.', '..'),
      `${requestState.slice(0, -8)}AAAAAAAA`,
      requestState.split('.').reverse().join('.'),
    ]
    const answers = await Promise.all([
      call(bob, { requestState, inputResponses }),
      call(alice, { requestState, inputResponses: { sure: { action: 'maybe' } } }),
      call(alice, { requestState, inputResponses, arguments: { to: 'mallory' } }),
      call(alice, { requestState, inputResponses }, other.url),
      call(alice, { requestState, inputResponses: { sure: { action: 'decline' } } }),
      ...spoiled.map((each) => call(alice, { requestState: each, inputResponses })),
    ])
    const isRefused = ({ json }: { json: any }) => json?.error !== undefined
    expect(answers.filter(isRefused).length).toBeGreaterThanOrEqual(7)
    for (const { text } of answers.filter(isRefused)) found.seen('refusal', text)
    found.expectSilence('requestState', 'key of the state', 'remembered')
  })

  const accepted = { action: 'accept', content: { ok: true } } as const
  const gone = () => Promise.reject(new Error('The user has left'))

  test.each<[string, InputHandlers | undefined]>([
    ['answers nothing', undefined],
    ['fails at the form', { form: gone }],
    ['answers what does not fit', { form: () => ({ action: 'accept', content: { ok: 'maybe' } }) }],
    ['fails at the page', { form: () => accepted, url: gone }],
    ['knows no pages', { form: () => accepted }],
    ['declines', { form: () => ({ action: 'decline' }), url: () => ({ action: 'accept' }) }],
  ])('is in no error of a client that %s', async (_, onInput) => {
    const found = canaries()
    const keys = [{ id: 'own', key: randomBytes(32) }]
    const server = await guarded(found, { tools: [transfer], inputState: { keys } })
    const { authorization } = await server.bearer()
    const client = createClient(
      httpCaller({
        endpoint: server.url,
        fetch: (input, init) =>
          fetch(input, {
            ...init,
            headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization },
          }),
        clientInfo: { name: 'c', version: '1' },
        ...(onInput && { onInput }),
      }),
    )
    found.secrets.add('address of a page', address)
    found.secrets.add('address of a page', new URL(address).searchParams.get('sig'))
    await found.attempt(client.call(tool, {}))
    await client.close()
    found.seen('client', client)
    expect(found.heard.get('error')).toBeGreaterThan(0)
    found.expectSilence('access_token', 'address of a page', ...(onInput ? ['requestState'] : []))
  })
})

describe('G26 TK-19 what the task of somebody else gave', () => {
  test('comes out in no answer to another, in no log and in no audit', async () => {
    const found = canaries()
    const [result, failure] = [canary('result'), canary('failure')]
    const tool = defineTaskTool({
      name: 'report',
      description: 'Takes its time',
      input: z.object({ fails: z.boolean().default(false) }),
      scopes: [],
      task: 'required',
    })
    const report = handleTask(tool, memoryTaskRunner({ pollIntervalMs: 10 }), ({ fails }) => {
      if (fails) throw new ToolError(failure)
      return result
    })
    found.secrets.add('result', result)
    found.secrets.add('failure', failure)
    const server = await guarded(found, { tools: [report] })
    const [alice, bob] = [await server.bearer(), await server.bearer(['mcp'], 'bob')]
    for (const fails of [false, true]) {
      const { taskId } = await create(server.url, 'report', { fails }, alice)
      const own = await until(server.url, taskId, ended, alice)
      expect(own.status).toBe('completed')
      expect(JSON.stringify(own)).toContain(fails ? failure : result)
      const more: Record<string, object> = { 'tasks/update': { inputResponses: { a: { action: 'cancel' } } } }
      for (const method of ['tasks/get', 'tasks/result', 'tasks/update', 'tasks/cancel', 'tasks/list']) {
        const { text } = await send(server.url, method, { taskId, ...more[method] }, { headers: bob })
        found.seen('answer', text)
      }
    }
    found.expectSilence('result', 'failure', 'access_token')
  })
})
