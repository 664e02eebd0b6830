import fastify from 'fastify'
import { echoResult } from '../workload.js'
import { ready } from './ready.js'

interface Call {
  readonly id: number
  readonly params: { readonly arguments: { readonly text: string } }
}

const app = fastify()
app.post<{ Body: Call }>('/mcp', ({ body }) => ({
  jsonrpc: '2.0',
  id: body.id,
  result: echoResult(body.params.arguments.text),
}))
await ready(app)
