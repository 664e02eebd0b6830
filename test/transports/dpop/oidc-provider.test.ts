import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore } from 'castellan/store'
import { clientCredentialsTransport, secretBasic } from 'castellan/transports'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { whoami } from '../../fastify/guarded.js'
import { protectedServer, type ProtectedServer } from '../protected-server.js'

let host: Server
let issuer: string
let server: ProtectedServer

beforeAll(async () => {
  host = createServer()
  await once(host.listen(0, '127.0.0.1'), 'listening')
  issuer = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'ES256', kid: 'provider' }] },
    clients: [
      {
        client_id: 'job',
        client_secret: 'secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: 'ES256',
        dpop_bound_access_tokens: true,
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          audience,
          scope: 'mcp',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  const handle = provider.callback()
  host.on('request', (request, response) => void handle(request, response))
  server = await protectedServer({ issuer, dpop: { required: true, nonce: { secret: randomBytes(32) } } })
})
afterAll(async () => {
  await server.stop()
  host.closeAllConnections()
  host.close()
})

test('A61 oidc-provider binds the token of an application to its key, with nonces', async () => {
  const transport = clientCredentialsTransport({
    endpoint: server.endpoint,
    registration: secretBasic({ issuer, clientId: 'job', clientSecret: 'secret', allowLoopbackHttp: true }),
    scopes: ['mcp'],
    store: memoryAuthorizationStore(),
    dpop: true,
    allowLoopbackHttp: true,
  })
  await using client = createClient(httpCaller({ clientInfo: { name: 'job', version: '1.0.0' }, transport }))
  expect(await client.call(whoami.definition, {})).toEqual({ subject: 'job', scopes: ['mcp'] })
})
