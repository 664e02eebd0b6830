import { protect } from 'castellan/fastify'
import {
  anyOf,
  introspectionResourceServer,
  jwtResourceServer,
  secretBasic,
  withDpop,
  type ResourceServer,
} from 'castellan/resource-server'
import type { TestAuthorizationServer } from 'castellan/testing'
import Fastify from 'fastify'
import mcp from 'castellan/fastify'
import type { AddressInfo } from 'node:net'
import { basic, resource } from '../guarded.js'
import type { Taking } from './expected.js'
import type { Form } from './requests.js'

/** Issues signed tokens; answers about opaque ones. */
export interface Issuers {
  readonly signing: TestAuthorizationServer
  readonly asked: TestAuthorizationServer
}

/** One guard at an endpoint and before routes of its own. */
export interface GuardedPlaces {
  readonly ports: Readonly<Record<Form['place'], number>>
  close(): Promise<void>
}

/** Mounts what `taking` says; every line of the logs and every audit event goes to `tell`. */
export async function guardedPlaces(
  taking: Taking,
  issuers: Issuers,
  tell: (line: string) => void,
): Promise<GuardedPlaces> {
  const auth = resourceServer(taking, issuers)
  const logger = { level: 'trace', stream: { write: tell } }
  const audit = (event: unknown) => tell(JSON.stringify(event))
  const hosts = [0, 1].map(() => Fastify({ logger, http: { maxHeaderSize: 64 * 1024 } }))
  const [endpoint = Fastify(), routes = Fastify()] = hosts
  const basicScopes = ['mcp']
  await endpoint.register(mcp, {
    ...{ path: '/mcp', name: 'test', version: '1.0.0', auth, audit, basicScopes, tools: [basic] },
    origins: ['https://app.example.com'],
  })
  await routes.register(protect, { auth, audit, basicScopes })
  routes.get('/notes', ({ principal }) => principal.subject)
  routes.post('/notes', (request, reply) => reply.code(201).send(request.body))
  for (const host of hosts) await host.listen({ port: 0, host: '127.0.0.1' })
  const portOf = ({ server }: typeof endpoint) => (server.address() as AddressInfo).port
  return {
    ports: { mcp: portOf(endpoint), protect: portOf(routes) },
    async close() {
      for (const host of hosts) await host.close()
      await auth.close()
    },
  }
}

function resourceServer({ verifier, possession }: Taking, { signing, asked }: Issuers): ResourceServer {
  const options = { resource, allowLoopbackHttp: true }
  const jwt = () => jwtResourceServer({ ...options, issuer: signing.issuer })
  const introspection = () =>
    introspectionResourceServer({
      ...options,
      registration: secretBasic({
        ...{ issuer: asked.issuer, clientId: 'test-client', clientSecret: 'test-secret' },
        allowLoopbackHttp: true,
      }),
    })
  const made = {
    jwt,
    introspection,
    anyOf: () => anyOf(jwt(), introspection()),
  }[verifier]()
  return possession === 'none' ? made : withDpop(made, { required: possession === 'dpop only' })
}
