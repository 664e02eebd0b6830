import assert from 'node:assert/strict'
import { defineTool, ToolError } from 'castellan'
import { createClient, httpCaller, ToolExecutionError } from 'castellan/client'
import mcp, { handle } from 'castellan/fastify'
import fastify from 'fastify'
import { z } from 'zod'

/** Declared once: the server's handler and the client's call are typed by it. */
const reserve = defineTool({
  name: 'reserve',
  description: 'Reserves crates in the store of an organization',
  input: z.object({ crates: z.int().positive() }),
  output: z.object({ holdId: z.string() }),
})

/** One URL per organization; the caller's address is typed by the endpoint. */
export async function check(): Promise<void> {
  const app = fastify({ forceCloseConnections: true })
  await app.register(mcp, {
    path: '/organizations/:organization/mcp',
    name: 'depot',
    version: '1.0.0',
    auth: 'none',
    tools: [
      handle(reserve, ({ crates }, { route }) => {
        if (crates > 10) throw new ToolError('Only 10 crates are left')
        return { holdId: `${route['organization'] ?? ''}-${crates}` }
      }),
    ],
  })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  await using client = createClient(
    httpCaller({
      clientInfo: { name: 'depot-job', version: '1.0.0' },
      endpoint: `${origin}/organizations/:organization/mcp`,
      route: { organization: 'blue' },
    }),
  )
  try {
    const { holdId } = await client.call(reserve, { crates: 3 }, { signal: AbortSignal.timeout(10_000) })
    assert.equal(holdId, 'blue-3')
    await assert.rejects(client.call(reserve, { crates: 11 }), (error) => {
      assert(error instanceof ToolExecutionError)
      assert.equal(error.message, 'Only 10 crates are left')
      return true
    })
  } finally {
    await app.close()
  }
}

if (import.meta.filename === process.argv[1]) await check()
