import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** A server somebody else wrote, with the official SDK. */
const handler = createMcpHandler(() => {
  const server = new McpServer(
    { name: 'weather', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } } },
  )
  server.registerTool(
    'forecast',
    {
      description: 'The weather of tomorrow',
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ city: z.string(), degrees: z.number() }),
    },
    ({ city }) => ({
      content: [{ type: 'text', text: `18 degrees in ${city}` }],
      structuredContent: { city, degrees: 18 },
    }),
  )
  server.registerTool(
    'subscribe_to_warnings',
    { description: 'Asks before it signs anybody up', inputSchema: z.object({ city: z.string() }) },
    ({ city }, { mcpReq }) => {
      const answer = acceptedContent<{ sure: boolean }>(mcpReq.inputResponses, 'sure')
      if (answer?.sure === true) return { content: [{ type: 'text', text: `Warnings for ${city} are on` }] }
      return inputRequired({
        inputRequests: {
          sure: inputRequired.elicit({
            message: `Warn about ${city}?`,
            requestedSchema: {
              type: 'object',
              properties: { sure: { type: 'boolean' } },
              required: ['sure'],
            },
          }),
        },
      })
    },
  )
  server.registerResource(
    'station',
    new ResourceTemplate('station://{city}', { list: undefined }),
    { mimeType: 'text/plain' },
    (uri, { city }) => ({ contents: [{ uri: uri.href, text: `Station of ${String(city)}` }] }),
  )
  server.registerPrompt(
    'pack',
    {
      argsSchema: z.object({
        city: completable(z.string(), (value) => ['Bern', 'Berlin'].filter((city) => city.startsWith(value))),
      }),
    },
    ({ city }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `What do I pack for ${city}?` } }],
    }),
  )
  return server
})

const server = createServer((incoming, outgoing) => {
  void (async () => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const headers = new Headers(incoming.headers as Record<string, string>)
    const gone = new AbortController()
    outgoing.on('close', () => gone.abort())
    const request = new Request(`http://${incoming.headers.host ?? ''}/mcp`, {
      method: incoming.method ?? 'POST',
      headers,
      body: Buffer.concat(chunks),
      signal: gone.signal,
    })
    const answer = await handler.fetch(request)
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body !== null) for await (const chunk of answer.body) outgoing.write(chunk)
    outgoing.end()
  })().catch(() => outgoing.destroy())
})
await once(server.listen(0, '127.0.0.1'), 'listening')
process.on('message', () => handler.notify.toolsChanged())
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
