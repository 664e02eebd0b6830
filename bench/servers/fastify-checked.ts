import { createHash } from 'node:crypto'
import fastify from 'fastify'
import { z } from 'zod'
import { echoResult } from '../workload.js'
import { jwtCheck } from './jwt-check.js'
import { ready } from './ready.js'

const call = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number().int()]),
  method: z.literal('tools/call'),
  params: z.object({
    name: z.literal('echo'),
    arguments: z.object({ text: z.string() }),
    _meta: z.record(z.string(), z.unknown()),
  }),
})

const check = jwtCheck()
const accepted = new Set<string>()

async function isAccepted(header = ''): Promise<boolean> {
  const token = header.slice('Bearer '.length)
  const digest = createHash('sha256').update(token).digest('base64')
  if (accepted.has(digest)) return true
  const { outcome } = await check.verify(token)
  if (outcome === 'accepted') accepted.add(digest)
  return outcome === 'accepted'
}

const app = fastify()
app.post('/mcp', async (request, reply) => {
  if (!(await isAccepted(request.headers.authorization))) return reply.code(401).send()
  const { id, params } = call.parse(request.body)
  return { jsonrpc: '2.0', id, result: echoResult(params.arguments.text) }
})
await ready(app)
