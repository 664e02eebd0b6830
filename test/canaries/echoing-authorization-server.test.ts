import { createClient, httpCaller } from 'castellan/client'
import {
  createGuard,
  introspectionResourceServer,
  jwtResourceServer,
  tokenExchange,
  type Principal,
} from 'castellan/resource-server'
import { testAuthorizationServer, type TestAuthorizationServer } from 'castellan/testing'
import {
  authorizationCodeTransport,
  clientCredentialsTransport,
  enterpriseTransport,
  idTokenIdentity,
  privateKey,
  secretBasic,
  secretPost,
  workloadIdentityTransport,
  type ClientTransport,
} from 'castellan/transports'
import { generateKeyPair } from 'jose'
import { describe, onTestFinished, test } from 'vitest'
import { whoami } from '../fastify/guarded.js'
import { ask, consentOf } from '../transports/authorization-code/web-app.js'
import { protectedServer, type ProtectedServer } from '../transports/protected-server.js'
import { canaries, type Canaries } from './canaries.js'
import { echoingServer, repeated } from './echoes.js'
import { recordedStore } from './recorded-store.js'
import { canary } from './secrets.js'

const loopback = { allowLoopbackHttp: true } as const
const { privateKey: key } = await generateKeyPair('ES256')
const redirectUri = 'https://app.example.com/oauth/callback'
const ways = Object.keys(repeated) as (keyof typeof repeated)[]

interface World {
  readonly found: Canaries
  readonly issuer: string
  /** Signs users in, and gives tokens to others. */
  readonly honest: TestAuthorizationServer
  readonly server: ProtectedServer
}

async function world(way: keyof typeof repeated): Promise<World> {
  const found = canaries()
  const [echo, honest] = await Promise.all([echoingServer(way), testAuthorizationServer()])
  const server = await protectedServer({ issuer: echo.origin, ofUsers: true })
  onTestFinished(async () => {
    await server.stop()
    await honest.close()
    await echo.close()
  })
  return { found, issuer: echo.origin, honest, server }
}

const secrets = { clientSecret: canary('client-secret') }

function registrations(issuer: string) {
  const named = { issuer, clientId: 'host', ...loopback }
  return [
    secretBasic({ ...named, ...secrets }),
    secretPost({ ...named, ...secrets }),
    privateKey({ ...named, key, kid: 'k1', alg: 'ES256' }),
  ]
}

async function call({ found }: World, transport: ClientTransport): Promise<void> {
  const client = createClient(httpCaller({ clientInfo: { name: 'host', version: '1.0.0' }, transport }))
  await found.attempt(client.call(whoami.definition, {}))
  found.seen('transport', transport, client)
  await client.close()
}

describe.each(ways)('G26 B89 nothing is said of what an authorization server repeats in %s', (way) => {
  test('to an application and to a user', async () => {
    const own = await world(way)
    const { found, server, issuer } = own
    for (const registration of registrations(issuer)) {
      const store = recordedStore(found.secrets)
      const dpop = registration.method === 'private_key_jwt'
      const options = { endpoint: server.endpoint, registration, dpop, ...loopback }
      await call(own, clientCredentialsTransport({ ...options, store }))
      const consent = authorizationCodeTransport.forWeb({ ...options, redirectUri, store: () => store })
      const { url } = await consentOf(ask(consent))
      const state = new URL(url).searchParams.get('state') ?? ''
      const callback = new URLSearchParams({ code: canary('code'), state })
      await found.attempt(consent.finish('alice', `${redirectUri}?${callback.toString()}`))
      await found.attempt(consent.forget('alice'))
      await consent.close()
    }
    found.expectSilence('client_secret', 'client_assertion', 'code', 'code_verifier', 'dpop proof')
  })

  test('to somebody vouched for', async () => {
    const own = await world(way)
    const { found, server, issuer, honest } = own
    const [registration] = registrations(issuer)
    const options = () => ({ endpoint: server.endpoint, store: recordedStore(found.secrets), ...loopback })
    const atHonest = secretBasic({
      issuer: honest.issuer,
      clientId: 'test-client',
      clientSecret: 'test-secret',
      ...loopback,
    })
    for (const provider of [atHonest, registration!]) {
      const source = () => honest.signOn({ clientId: 'test-client', subject: 'alice' })
      const identity = idTokenIdentity({ registration: provider, subject: 'alice', source })
      await call(own, enterpriseTransport({ registration: registration!, identity, ...options() }))
    }
    const assertion = () => honest.mint({ resource: issuer, subject: 'job', header: { typ: 'JWT' } })
    await call(own, workloadIdentityTransport({ issuer, clientId: 'job', assertion, ...options() }))
    found.expectSilence('client_secret', 'subject_token', 'assertion')
  })

  test('to a resource server', async () => {
    const { found, issuer, honest } = await world(way)
    const resource = 'https://api.example.com/mcp'
    const opaque = canary('opaque-token')
    for (const registration of registrations(issuer)) {
      for (const signed of [{}, { signedResponse: 'required' as const }]) {
        const auth = introspectionResourceServer({ resource, registration, ...signed, ...loopback })
        found.seen('verification', await found.attempt(Promise.resolve(auth.verify(opaque))))
        await auth.close()
      }
    }
    for (const registration of registrations(honest.issuer)) {
      const endpoint = `${issuer}/token`
      const exchange = tokenExchange({
        registration,
        endpoint,
        resource: 'https://up.example.com',
        ...loopback,
      })
      await found.attempt(exchange(await principal(honest, resource)))
      await exchange.close()
    }
    found.expectSilence('client_secret', 'token', 'subject_token', 'client_assertion')
  })
})

/** Whom a guard let in for a token of the honest server. */
async function principal(honest: TestAuthorizationServer, resource: string): Promise<Principal> {
  const auth = jwtResourceServer({ resource, issuer: honest.issuer, ...loopback })
  const token = await honest.mint({ resource })
  const guard = createGuard({ resourceServer: auth })
  const request = { url: '/mcp', method: 'POST', target: resource, proofs: [] }
  const decision = await guard.authenticate({
    ...request,
    authorization: [`Bearer ${token}`],
  })
  await auth.close()
  if ('status' in decision) throw new Error(decision.reason)
  return decision
}
