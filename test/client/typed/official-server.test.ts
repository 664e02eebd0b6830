import { createClient, httpCaller, type Client } from 'castellan/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type ExternalServer } from '../../../examples/external-server/start.js'

let server: ExternalServer
let client: Client
beforeAll(async () => {
  server = await startServer()
  client = createClient(
    httpCaller({
      clientInfo: { name: 'interop', version: '1' },
      endpoint: server.url,
      onInput: { form: () => ({ action: 'accept', content: { sure: true } }) },
    }),
  )
})
afterAll(async () => {
  await client.close()
  await server.stop()
})

describe('our HTTP caller against a server of the official SDK', () => {
  test('discovers and lists', async () => {
    expect((await client.discover()).supportedVersions).toContain('2026-07-28')
    const names: string[] = []
    for await (const { name } of client.tools()) names.push(name)
    expect(names).toEqual(['forecast', 'subscribe_to_warnings'])
    for await (const { uriTemplate } of client.templates()) expect(uriTemplate).toBe('station://{city}')
    for await (const { name } of client.prompts()) expect(name).toBe('pack')
  })

  test('calls a tool by its listed schemas', async () => {
    const answer = await client.call('forecast', { city: 'Bern' })
    expect(answer.structuredContent).toEqual({ city: 'Bern', degrees: 18 })
  })

  test('answers questions in a second round', async () => {
    const { content } = await client.call('subscribe_to_warnings', { city: 'Bern' })
    expect(content).toEqual([{ type: 'text', text: 'Warnings for Bern are on' }])
  })

  test('reads, prompts and completes', async () => {
    expect(await client.read('station://Bern')).toMatchObject([{ text: 'Station of Bern' }])
    const { messages } = await client.prompt('pack', { city: 'Bern' })
    expect(messages).toMatchObject([{ role: 'user', content: { text: 'What do I pack for Bern?' } }])
    const { values } = await client.complete({ prompt: 'pack' }, 'city', 'Berl')
    expect(values).toEqual(['Berlin'])
  })

  test('follows changes', async () => {
    const kinds: string[] = []
    for await (const { kind } of client.caller.subscribe({ toolsListChanged: true })) {
      kinds.push(kind)
      if (kind === 'acknowledged') server.change()
      else break
    }
    expect(kinds).toEqual(['acknowledged', 'tools_changed'])
  })
})
