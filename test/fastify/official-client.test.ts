import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenGuarded, type GuardedServer } from './guarded.js'
import { offer, progress } from './notes.js'

let server: GuardedServer
beforeAll(async () => {
  server = await listenGuarded({ ...offer, tools: [...(offer.tools ?? []), progress] })
})
afterAll(() => server.stop())

const eras = {
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  '2025-11-25': {},
} as const

describe.each(['2026-07-28', '2025-11-25'] as const)(
  'the official client speaking %s against the protected server',
  (era) => {
    let client: Client
    beforeAll(async () => {
      client = new Client({ name: 'official', version: '1.0.0' }, eras[era])
      const headers = await server.bearer(['mcp'])
      await client.connect(
        new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }),
      )
    })
    afterAll(() => client.close())

    test('lists tools, resources, templates and prompts', async () => {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
      expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
        'notes://readme',
        'notes://logo',
      ])
      expect((await client.listResourceTemplates()).resourceTemplates[0]?.uriTemplate).toBe(
        'notes://note/{id}',
      )
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['greeting', 'summary'])
    })

    test('calls tools, with mirrored parameters and progress', async () => {
      const echoed = await client.callTool({ name: 'echo', arguments: { text: 'ha', times: 2 } })
      expect(echoed.structuredContent).toEqual({ text: 'haha' })
      const mirrored = await client.callTool({
        name: 'mirrored',
        arguments: { region: 'Zürich', level: 3, deep: { flag: true } },
      })
      expect(mirrored.content).toEqual([{ type: 'text', text: 'Zürich' }])
      const seen: number[] = []
      const params = { name: 'progress', arguments: { steps: [1, 2, 3] } }
      await client.callTool(params, { onprogress: ({ progress: value }) => seen.push(value) })
      expect(seen).toEqual([1, 2, 3])
    })

    test('reads, prompts and completes', async () => {
      const read = await client.readResource({ uri: 'notes://note/7' })
      expect(read.contents[0]).toMatchObject({ text: 'note 7' })
      const prompt = await client.getPrompt({ name: 'summary', arguments: { topic: 'moats' } })
      expect(prompt.messages[0]?.content).toEqual({ type: 'text', text: 'Summarise moats' })
      const ref = { type: 'ref/resource', uri: 'notes://note/{id}' } as const
      const completed = await client.complete({ ref, argument: { name: 'id', value: 'a' } })
      expect(completed.completion.values).toEqual(['a1', 'a2'])
    })

    test('sees errors as errors', async () => {
      await expect(client.readResource({ uri: 'notes://nowhere' })).rejects.toThrow(/not found/i)
      const failed = await client.callTool({ name: 'failing', arguments: { how: 'tool' } })
      expect(failed.isError).toBe(true)
    })
  },
)
