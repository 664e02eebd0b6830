import { randomBytes } from 'node:crypto'
import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore } from 'castellan/store'
import { testAuthorizationServer, type TestAuthorizationServer } from 'castellan/testing'
import {
  authorizationCodeTransport,
  enterpriseTransport,
  idTokenIdentity,
  publicClient,
  secretBasic,
  workloadIdentityTransport,
  type ClientTransport,
} from 'castellan/transports'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { whoami } from '../../fastify/guarded.js'
import { protectedServer, type ProtectedServer } from '../protected-server.js'

const host = { clientId: 'host', clientSecret: 'canary-secret' }
const cli = { clientId: 'cli', redirectUris: ['http://127.0.0.1/callback'] }
const loopback = { allowLoopbackHttp: true } as const

/** Signs users in and vouches for workloads. */
let other: TestAuthorizationServer
let as: TestAuthorizationServer
let server: ProtectedServer
const open: ClientTransport[] = []

beforeEach(async () => {
  other = await testAuthorizationServer({ clients: [host] })
  as = await testAuthorizationServer({
    clients: [host, cli],
    dpopNonces: true,
    assertions: { identityProviders: [other.issuer], workloadIssuers: [other.issuer] },
  })
  const dpop = { required: true, nonce: { secret: randomBytes(32) } }
  server = await protectedServer({ issuer: as.issuer, ofUsers: true, dpop })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((made) => made.close()))
  await server.stop()
  await as.close()
  await other.close()
})

type Make = (store: ReturnType<typeof memoryAuthorizationStore>) => ClientTransport

const makers: Readonly<Record<string, Make>> = {
  'a program on the machine of its user': (store) =>
    authorizationCodeTransport.forLocal({
      endpoint: server.endpoint,
      registration: publicClient({ issuer: as.issuer, clientId: 'cli', ...loopback }),
      openBrowser: async (url) => {
        await fetch(await as.consent(url))
      },
      store,
      dpop: true,
      ...loopback,
    }),
  'a user who signed in at an identity provider': (store) =>
    enterpriseTransport({
      endpoint: server.endpoint,
      registration: secretBasic({ ...host, issuer: as.issuer, ...loopback }),
      identity: idTokenIdentity({
        registration: secretBasic({ ...host, issuer: other.issuer, ...loopback }),
        subject: 'alice',
        source: () => other.signOn({ clientId: 'host', subject: 'alice' }),
      }),
      store,
      dpop: true,
      ...loopback,
    }),
  'a workload its platform vouches for': (store) =>
    workloadIdentityTransport({
      endpoint: server.endpoint,
      issuer: as.issuer,
      clientId: 'report',
      assertion: () => other.mint({ resource: as.issuer, subject: 'alice', header: { typ: 'JWT' } }),
      store,
      dpop: true,
      ...loopback,
    }),
}

const ask = (transport: ClientTransport) => {
  open.push(transport)
  const caller = httpCaller({ clientInfo: { name: 'host', version: '1.0.0' }, transport })
  return createClient(caller).call(whoami.definition, {})
}
const keys = () =>
  server.seen.flatMap(({ token }) =>
    token === undefined ? [] : (decodeJwt(token)['cnf'] as { jkt: string }).jkt,
  )

test.each(Object.entries(makers))(
  'A61 G10 the tokens of %s are bound, and follow nonces',
  async (_, make) => {
    const store = memoryAuthorizationStore()
    const made = make(store)
    expect(await ask(made)).toMatchObject({ subject: 'alice' })
    expect(await ask(made)).toMatchObject({ subject: 'alice' })
    const asked = as.requests.token
    expect(await ask(make(store))).toMatchObject({ subject: 'alice' })
    expect(as.requests.token).toBe(asked)
    expect(new Set(keys()).size).toBe(1)
  },
)
