import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { protect, type ProtectOptions } from 'castellan/fastify'
import { jwtResourceServer, type ResourceServer } from 'castellan/resource-server'
import { testAuthorizationServer, type TestAuthorizationServer } from 'castellan/testing'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export const api = 'https://api.example.com/api'
export const apiMetadata = 'https://api.example.com/.well-known/oauth-protected-resource/api'

/** An app, an authorization server and a resource server that trusts it, all ended with the test. */
export interface ProtectedApp {
  readonly app: FastifyInstance
  readonly as: TestAuthorizationServer
  readonly auth: ResourceServer
  /** Headers with a fresh good token. */
  readonly bearer: (scopes?: readonly string[], resource?: string) => Promise<{ authorization: string }>
  readonly listen: () => Promise<string>
}

/** An app with `protect` at its root, unless told otherwise. */
export async function protectedApp(
  build: (app: FastifyInstance, auth: ResourceServer) => unknown,
  options: Partial<ProtectOptions> | 'bare' = {},
  host: FastifyServerOptions = {},
): Promise<ProtectedApp> {
  const as = await testAuthorizationServer()
  const auth = jwtResourceServer({ resource: api, issuer: as.issuer, allowLoopbackHttp: true })
  const app = Fastify(host)
  onTestFinished(async () => {
    await app.close()
    await auth.close()
    await as.close()
  })
  if (options !== 'bare') await app.register(protect, { auth, ...options })
  await build(app, auth)
  return {
    app,
    as,
    auth,
    bearer: async (scopes = [], resource = api) => ({
      authorization: `Bearer ${await as.mint({ resource, scopes })}`,
    }),
    async listen() {
      await app.listen({ port: 0, host: '127.0.0.1' })
      return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    },
  }
}
