import mcp, { handle } from 'castellan/fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import fastify, { type FastifyInstance } from 'fastify'
import { Notebook } from './notebook.js'
import { addNote, listNotes, noteText, reviewNotes } from './notes.js'

export interface NotesServerOptions {
  /** What tokens must be issued for: the URL clients use, byte for byte. */
  readonly resource: string
  readonly issuer: string
}

/** An ordinary Fastify app with one route of its own, and the protected MCP endpoint beside it. */
export async function notesServer({ resource, issuer }: NotesServerOptions): Promise<FastifyInstance> {
  const notebook = new Notebook()
  const app = fastify({ forceCloseConnections: true })
  app.get('/health', () => ({ status: 'ok' }))
  await app.register(mcp, {
    path: '/mcp',
    name: 'notes',
    version: '1.0.0',
    instructions: 'Keeps short notes for whoever calls.',
    auth: jwtResourceServer({ resource, issuer, allowLoopbackHttp: true }),
    basicScopes: ['notes:read'],
    tools: [
      handle(listNotes, ({ limit }, { principal }) => ({ notes: notebook.list(principal.subject, limit) })),
      handle(addNote, ({ text }, { principal }) => notebook.add(principal.subject, text)),
    ],
    resources: [handle(noteText, ({ id }, { principal }) => notebook.find(principal.subject, id)?.text)],
    prompts: [reviewNotes],
  })
  return app
}
