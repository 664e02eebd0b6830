import { defineTool } from 'castellan'
import { handle, type McpOptions } from 'castellan/fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import { testAuthorizationServer, type TestAuthorizationServer } from 'castellan/testing'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { listen, type RunningServer } from './server.js'

export const resource = 'https://api.example.com/mcp'
export const metadataUrl = 'https://api.example.com/.well-known/oauth-protected-resource/mcp'

export const whoami = handle(
  defineTool({ name: 'whoami', description: 'Says who is calling', output: z.unknown(), scopes: [] }),
  (_input, { principal }) => ({ subject: principal.subject, scopes: principal.scopes }),
)

export const basic = handle(defineTool({ name: 'basic', description: 'Declares no scopes' }), () => 'basic')

export const writing = handle(
  defineTool({ name: 'writing', description: 'Needs two scopes', scopes: ['notes:read', 'notes:write'] }),
  () => 'written',
)

export const either = handle(
  defineTool({
    name: 'either',
    description: 'Has alternatives',
    scopes: [['notes:read', 'notes:share'], ['admin']],
  }),
  () => 'either',
)

export interface GuardedServer extends RunningServer {
  readonly as: TestAuthorizationServer
  /** Headers with a fresh good token. */
  bearer(scopes?: readonly string[], subject?: string): Promise<{ authorization: string }>
  stop(): Promise<void>
}

/** An endpoint guarded by a real authorization server; `mcp` is the basic scope. */
export async function listenGuarded(
  options: Partial<McpOptions> = {},
  prepare?: (app: FastifyInstance) => unknown,
): Promise<GuardedServer> {
  const as = await testAuthorizationServer()
  const auth = jwtResourceServer({
    resource,
    issuer: as.issuer,
    allowLoopbackHttp: true,
    impliedScopes: { 'notes:write': ['notes:read'] },
  })
  const server = await listen(
    { auth, basicScopes: ['mcp'], tools: [whoami, basic, writing, either], ...options },
    prepare,
  )
  return {
    ...server,
    as,
    bearer: async (scopes = ['mcp'], subject = 'alice') => ({
      authorization: `Bearer ${await as.mint({ resource, scopes, subject })}`,
    }),
    async stop() {
      await server.app.close()
      await auth.close()
      await as.close()
    },
  }
}
