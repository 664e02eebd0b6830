import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import fastify from 'fastify'
import { z } from 'zod'
import { fillerNames, serverInfo } from '../workload.js'
import { joseEachTime } from './jose-each-time.js'
import { jwtCheck } from './jwt-check.js'
import { ready } from './ready.js'

const [tools = '10', auth = 'cached'] = process.argv.slice(2)
const names = ['echo', ...fillerNames(Number(tools))]
const inputSchema = z.object({ text: z.string().describe('What to say') })
const outputSchema = z.object({ text: z.string() })

const handler = createMcpHandler(() => {
  const server = new McpServer(serverInfo)
  for (const name of names) {
    const description = `Says ${name} and what it was told`
    server.registerTool(name, { title: name, description, inputSchema, outputSchema }, ({ text }) => ({
      content: [{ type: 'text', text: JSON.stringify({ text }) }],
      structuredContent: { text },
    }))
  }
  return server
})

/** The same check as ours, which remembers what it verified, or what the users of the SDK write themselves. */
function verifier(): (token: string) => Promise<boolean> {
  if (auth === 'jose') return joseEachTime()
  const check = jwtCheck()
  return async (token) => (await check.verify(token)).outcome === 'accepted'
}

const isAccepted = verifier()
const app = fastify()
app.post('/mcp', async (request, reply) => {
  const token = (request.headers.authorization ?? '').slice('Bearer '.length)
  if (!(await isAccepted(token))) return reply.code(401).send()
  const url = `http://${request.headers.host ?? ''}/mcp`
  const headers = new Headers(request.headers as Record<string, string>)
  const answer = await handler.fetch(new Request(url, { method: 'POST', headers }), {
    parsedBody: request.body,
  })
  for (const [name, value] of answer.headers) void reply.header(name, value)
  return reply.code(answer.status).send(await answer.text())
})
await ready(app)
