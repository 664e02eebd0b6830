import { defineTool, form, urlConsent } from 'castellan'
import { createClient, httpCaller } from 'castellan/client'
import mcp, { handle } from 'castellan/fastify'
import fastify from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { McpOptions } from '../../src/fastify/plugin.js'
import { meta, modern, post } from '../wire.js'

const asks = handle(
  defineTool({
    name: 'ask',
    description: 'Asks',
    inputs: { sure: form(z.object({ ok: z.boolean().default(true) })), page: urlConsent() },
  }),
  async (_input, { input, progress }) => {
    await progress({ progress: 1 })
    return JSON.stringify(await input.sure({ message: 'Sure?' }))
  },
)
const capable = meta({ 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } })
const keys = [{ id: 'a', key: new Uint8Array(32).fill(1) }]

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function serving(options: Partial<McpOptions>, path = '/:team/mcp') {
  const logged: string[] = []
  const app = fastify({
    logger: { level: 'warn', stream: { write: (line: string) => void logged.push(line) } },
  })
  closing.push(() => app.close())
  await app.register(mcp, { path, name: 'test', version: '1', auth: 'none', tools: [asks], ...options })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { origin: app.listeningOrigin, logged }
}

describe('questions over HTTP', () => {
  test('MR-19 are JSON on HTTP 200, and are taken up by another instance with the same key, at the same URL only', async () => {
    const [one, other, stranger] = [
      await serving({ inputState: { keys } }),
      await serving({ inputState: { keys } }),
      await serving({}),
    ]
    const asked = await post(`${one.origin}/red/mcp`, modern('tools/call', { name: 'ask', _meta: capable }))
    expect([asked.status, asked.json.result.resultType]).toEqual([200, 'input_required'])
    const { requestState } = asked.json.result as { requestState: string }
    const inputResponses = { sure: { action: 'accept', content: {} } }
    const again = modern('tools/call', { name: 'ask', _meta: capable, requestState, inputResponses })
    const done = await post(`${other.origin}/red/mcp`, again)
    expect(done.json.result.content[0].text).toBe('{"action":"accept","content":{"ok":true}}')
    for (const url of [`${other.origin}/blue/mcp`, `${stranger.origin}/red/mcp`]) {
      const { status, json } = await post(url, again)
      expect([status, json.error.code]).toEqual([200, -32602])
    }
  })

  test('B007 MR-12 what the client cannot be asked is HTTP 400, or told on a stream that has begun', async () => {
    const { origin } = await serving({ inputState: { keys } })
    const { status, json } = await post(`${origin}/red/mcp`, modern('tools/call', { name: 'ask' }))
    expect(status).toBe(400)
    expect(json.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    })
    const streaming = modern('tools/call', { name: 'ask', _meta: meta({ progressToken: 1 }) })
    const streamed = await post(`${origin}/red/mcp`, streaming)
    expect(streamed.status).toBe(200)
    expect(streamed.text).toContain('-32021')
  })

  test('G-137 the client of this package answers them', async () => {
    const { origin } = await serving({ inputState: { keys } }, '/mcp')
    const onInput = { form: () => ({ action: 'decline' }) as const }
    const endpoint = `${origin}/mcp`
    const client = createClient(httpCaller({ endpoint, clientInfo: { name: 'c', version: '1' }, onInput }))
    const text = '{"action":"decline"}'
    expect(await client.callRaw('ask', {})).toMatchObject({ content: [{ type: 'text', text }] })
  })
})

test.each([
  ['said once when keys are left out', {}, 1],
  ['not said with keys', { inputState: { keys } }, 0],
  [
    'not said when nothing asks',
    { tools: [handle(defineTool({ name: 'a', description: 'a' }), () => 'a')] },
    0,
  ],
])('that questions belong to one process is %s', async (_name, options, times) => {
  const { logged } = await serving(options)
  expect(logged.filter((line) => line.includes('inputState.keys'))).toHaveLength(times)
})
