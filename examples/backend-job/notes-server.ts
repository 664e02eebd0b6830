import { defineTool } from 'castellan'
import mcp, { handle } from 'castellan/fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import fastify from 'fastify'
import { z } from 'zod'

/** Declared once: the server's handler and the job's call are typed by it. */
export const countNotes = defineTool({
  name: 'count_notes',
  description: 'Counts the notes of whoever asks',
  output: z.object({ owner: z.string(), notes: z.int() }),
  scopes: ['notes:read'],
})

interface NotesServer {
  readonly endpoint: string
  close(): Promise<void>
}

/** A protected MCP server whose tokens come from `issuer`; applications and users may both ask. */
export async function notesServer(
  port: number,
  issuer: string,
  subjectFrom: 'sub' | 'client_id',
): Promise<NotesServer> {
  const endpoint = `http://127.0.0.1:${port}/mcp`
  const auth = jwtResourceServer({ resource: endpoint, issuer, subjectFrom, allowLoopbackHttp: true })
  const app = fastify({ forceCloseConnections: true })
  const count = handle(countNotes, (_input, { principal }) => ({ owner: principal.subject, notes: 3 }))
  await app.register(mcp, {
    path: '/mcp',
    name: 'notes',
    version: '1.0.0',
    auth,
    basicScopes: ['notes:read'],
    tools: [count],
  })
  await app.listen({ port, host: '127.0.0.1' })
  return {
    endpoint,
    async close() {
      await app.close()
      await auth.close()
    },
  }
}
