import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/** A server on standard input and output, written with the official SDK. */
serveStdio(() => {
  const server = new McpServer({ name: 'dice', version: '1.0.0' })
  server.registerTool(
    'roll',
    { inputSchema: z.object({ dice: z.int().min(1).max(10) }), outputSchema: z.object({ total: z.int() }) },
    ({ dice }) => ({ content: [], structuredContent: { total: dice * 4 } }),
  )
  return server
})
