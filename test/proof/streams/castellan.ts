import { defineTool } from 'castellan'
import mcp, { handle, memoryChanges } from 'castellan/fastify'
import Fastify from 'fastify'
import { serve } from './serve.js'

const changes = memoryChanges()
const app = Fastify()
await app.register(mcp, {
  ...{ path: '/mcp', name: 'streams', version: '1.0.0', auth: 'none', changes },
  tools: [handle(defineTool({ name: 'tool', description: 'A tool' }), () => 'x')],
  catalogs: { tools: () => ({ names: ['tool'] }) },
  listen: { streamsPerPrincipal: 20_000 },
})
await serve(app, () => void changes.toolsChanged())
