import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import Fastify, { type FastifyRequest } from 'fastify'
import { serve } from './serve.js'

const handler = createMcpHandler(
  () => {
    const server = new McpServer(
      { name: 'streams', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    )
    server.registerTool('tool', { description: 'A tool' }, () => ({ content: [] }))
    return server
  },
  { maxSubscriptions: 20_000 },
)

const app = Fastify()
app.post('/mcp', async (request, reply) => {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return reply.send(await handler.fetch(webRequest(request, gone.signal), { parsedBody: request.body }))
})

function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers,
    body: JSON.stringify(request.body),
    signal,
  })
}

await serve(app, () => handler.notify.toolsChanged())
