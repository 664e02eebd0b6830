import { jwtResourceServer, withDpop, type DpopOptions, type ResourceServer } from 'castellan/resource-server'
import {
  testAuthorizationServer,
  type TestAuthorizationServer,
  type TestAuthorizationServerOptions,
} from 'castellan/testing'
import type { McpOptions } from 'castellan/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import mcp from 'castellan/fastify'
import { freePort } from '../conformance/free-port.js'
import { basic, either, whoami, writing } from '../fastify/guarded.js'

export interface ProtectedServer {
  /** The endpoint, which is the resource as well. */
  readonly endpoint: string
  readonly app: FastifyInstance
  readonly as: TestAuthorizationServer
  /** Every request at the endpoint: its method and whether it carried a token. */
  readonly seen: readonly { readonly method: string; readonly token: string | undefined }[]
  /** Tokens that are refused as invalid; `*` is every token. */
  readonly refused: Set<string>
  stop(): Promise<void>
}

export const client = { clientId: 'job', clientSecret: 'canary-secret' }

interface ProtectedOptions extends Partial<McpOptions> {
  /** Issuer of another authorization server, in place of the test one. */
  readonly issuer?: string
  /** What the test authorization server is started with, beside the usual client. */
  readonly server?: TestAuthorizationServerOptions
  /** Whether tokens speak for users and not for clients. */
  readonly ofUsers?: boolean
  /** Whether tokens must be bound to a key, and how. */
  readonly dpop?: DpopOptions
  /** Who judges tokens for this resource, in place of the usual one. */
  readonly guard?: (resource: string) => ResourceServer
}

/** A protected endpoint on loopback that is its own resource, with the authorization server it names. */
export async function protectedServer({
  issuer,
  server = {},
  ofUsers = false,
  dpop,
  guard,
  ...options
}: ProtectedOptions = {}): Promise<ProtectedServer> {
  const as = await testAuthorizationServer({ clients: [client], ...server })
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}/mcp`
  const usual = (resource: string) =>
    jwtResourceServer({
      resource,
      issuer: issuer ?? as.issuer,
      allowLoopbackHttp: true,
      ...(!ofUsers && { subjectFrom: 'client_id' }),
    })
  const tokens = (guard ?? usual)(endpoint)
  const auth = dpop === undefined ? tokens : withDpop(tokens, dpop)
  const app = Fastify()
  const seen: { method: string; token: string | undefined }[] = []
  const refused = new Set<string>()
  app.addHook('onRequest', async ({ url, method, headers }, reply) => {
    if (url !== '/mcp') return
    const token = headers.authorization?.split(' ')[1]
    seen.push({ method, token })
    if (token === undefined || !(refused.has(token) || refused.has('*'))) return
    await reply.code(401).header('www-authenticate', 'Bearer error="invalid_token"').send()
  })
  await app.register(mcp, {
    path: '/mcp',
    name: 'protected',
    version: '1.0.0',
    auth,
    basicScopes: ['mcp'],
    tools: [whoami, basic, writing, either],
    ...options,
  })
  await app.listen({ port, host: '127.0.0.1' })
  return {
    endpoint,
    app,
    as,
    seen,
    refused,
    async stop() {
      await app.close()
      await auth.close()
      await as.close()
    },
  }
}
