import { defineTool } from 'castellan'
import mcp, { handle } from 'castellan/fastify'
import fastify from 'fastify'
import { z } from 'zod'
import { fillerNames, scope, serverInfo } from '../workload.js'
import { jwtCheck } from './jwt-check.js'
import { ready } from './ready.js'

const [auth = 'open', tools = '10'] = process.argv.slice(2)

const input = z.object({ text: z.string().describe('What to say') })
const output = z.object({ text: z.string() })

const catalog = ['echo', ...fillerNames(Number(tools))].map((name) =>
  handle(
    defineTool({ name, title: name, description: `Says ${name} and what it was told`, input, output }),
    ({ text }) => ({ text }),
  ),
)

const app = fastify()
await app.register(mcp, {
  path: '/mcp',
  ...serverInfo,
  ...(auth === 'jwt' ? { auth: jwtCheck(), basicScopes: [scope] } : { auth: 'none' as const }),
  tools: catalog,
  pageSize: 1000,
})
await ready(app)
