import Fastify from 'fastify'
import { Readable } from 'node:stream'
import { serve } from './serve.js'

const streams = new Set<Readable>()
const app = Fastify()
app.post('/mcp', (_request, reply) => {
  const stream = new Readable({ read: () => undefined })
  streams.add(stream)
  stream.once('close', () => streams.delete(stream))
  stream.push(event('notifications/subscriptions/acknowledged'))
  return reply.header('content-type', 'text/event-stream').send(stream)
})

function event(method: string): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`
}

await serve(app, () => {
  const changed = event('notifications/tools/list_changed')
  for (const stream of streams) stream.push(changed)
})
