import { defineTool, form } from 'castellan'
import mcp, { handle, memoryChanges } from 'castellan/fastify'
import Fastify from 'fastify'
import { once } from 'node:events'
import { connect, type ClientHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { events, meta, modern } from '../../wire.js'

const ask = handle(
  defineTool({ name: 'ask', description: 'Asks', inputs: { sure: form(z.object({ yes: z.boolean() })) } }),
  async (_input, { input }) => (await input.sure({ message: 'Sure?' })).action,
)

/** An app that speaks HTTP/2 without TLS, and one connection to it. */
async function session() {
  const changes = memoryChanges()
  const app = Fastify({ http2: true, forceCloseConnections: true })
  await app.register(mcp, {
    ...{ path: '/mcp', name: 'test', version: '1', auth: 'none', changes },
    ...{ tools: [ask], catalogs: { tools: () => ({ names: ['ask'] }) } },
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const client = connect(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
  onTestFinished(() => client.destroy())
  const send = (...request: Parameters<typeof modern>): ClientHttp2Stream => {
    const { body, headers } = modern(...request)
    const stream = client.request({ ':method': 'POST', ':path': '/mcp', ...headers }).setEncoding('utf8')
    stream.end(JSON.stringify(body))
    return stream
  }
  return { app, changes, send }
}

async function whole(stream: ClientHttp2Stream): Promise<string> {
  let text = ''
  for await (const piece of stream) text += piece as string
  return text
}

test('SUB-3 SUB-8 SUB-9 a stream over HTTP/2 begins, tells and completes when the app closes', async () => {
  const { app, changes, send } = await session()
  const stream = send('subscriptions/listen', { notifications: { toolsListChanged: true } })
  await once(stream, 'readable')
  await changes.toolsChanged()
  const rest = whole(stream)
  await app.close()
  expect(events(await rest).map(({ method, result }) => method ?? result.resultType)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/tools/list_changed',
    'complete',
  ])
})

test('MR-3 the rounds of a call go over HTTP/2', async () => {
  const { app, send } = await session()
  const _meta = meta({ 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } })
  const call = async (more: object = {}) =>
    JSON.parse(await whole(send('tools/call', { name: 'ask', _meta, ...more }))).result
  const { requestState } = await call()
  const inputResponses = { sure: { action: 'decline' } }
  expect(await call({ requestState, inputResponses })).toMatchObject({ content: [{ text: 'decline' }] })
  await app.close()
})
