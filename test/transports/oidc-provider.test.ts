import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore } from 'castellan/store'
import {
  clientCredentialsTransport,
  privateKey,
  secretBasic,
  secretPost,
  type Registration,
} from 'castellan/transports'
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whoami } from '../fastify/guarded.js'
import { protectedServer, type ProtectedServer } from './protected-server.js'

let host: Server
let issuer: string
let server: ProtectedServer
let key: CryptoKey
let other: CryptoKey
const asked: { resource: unknown; scope: unknown }[] = []

const secret = 'a-b_c:e%+ '
const grants = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }

beforeAll(async () => {
  host = createServer()
  await once(host.listen(0, '127.0.0.1'), 'listening')
  issuer = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const signing = await generateKeyPair('ES256', { extractable: true })
  const own = await generateKeyPair('ES256', { extractable: true })
  key = own.privateKey
  other = (await generateKeyPair('ES256')).privateKey
  const algorithm = { id_token_signed_response_alg: 'ES256' } as const
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(signing.privateKey)), use: 'sig', alg: 'ES256', kid: 'provider' }] },
    clients: [
      { client_id: 'job', client_secret: secret, ...grants, ...algorithm },
      {
        client_id: 'post',
        client_secret: secret,
        token_endpoint_auth_method: 'client_secret_post',
        ...grants,
        ...algorithm,
      },
      {
        client_id: 'signer',
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] },
        ...grants,
        ...algorithm,
      },
    ],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    enabledJWA: { clientAuthSigningAlgValues: ['ES256'] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          audience,
          scope: 'mcp notes:read',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  provider.use(async (context, next) => {
    await next()
    const { resource, scope } = context['oidc']?.params ?? {}
    if (context.path === '/token') asked.push({ resource, scope })
  })
  const handle = provider.callback()
  host.on('request', (request, response) => void handle(request, response))
  server = await protectedServer({ issuer })
})
afterAll(async () => {
  await server.stop()
  host.closeAllConnections()
  host.close()
})

async function ask(registration: Registration, scopes?: readonly string[]) {
  const transport = clientCredentialsTransport({
    endpoint: server.endpoint,
    registration,
    ...(scopes && { scopes }),
    store: memoryAuthorizationStore(),
    allowLoopbackHttp: true,
  })
  const client = createClient(httpCaller({ clientInfo: { name: 'job', version: '1.0.0' }, transport }))
  try {
    return await client.call(whoami.definition, {})
  } finally {
    await client.close()
  }
}

const loopback = { allowLoopbackHttp: true } as const

describe('oidc-provider', () => {
  test.each<[string, () => Registration]>([
    [
      'C5 F41 a secret in the header',
      () => secretBasic({ issuer, clientId: 'job', clientSecret: secret, ...loopback }),
    ],
    [
      'C6 a secret in the form',
      () => secretPost({ issuer, clientId: 'post', clientSecret: secret, ...loopback }),
    ],
    [
      'C7 B64 an assertion',
      () => privateKey({ issuer, clientId: 'signer', key, kid: 'k1', alg: 'ES256', ...loopback }),
    ],
  ])('%s gets a token for exactly this resource', async (_, registration) => {
    const { clientId } = registration()
    expect(await ask(registration(), ['notes:read'])).toEqual({ subject: clientId, scopes: ['notes:read'] })
    expect(asked.at(-1)).toEqual({ resource: server.endpoint, scope: 'notes:read' })
  })

  test.each<[string, () => Registration]>([
    ['a wrong secret', () => secretBasic({ issuer, clientId: 'job', clientSecret: 'wrong', ...loopback })],
    [
      'a wrong key',
      () => privateKey({ issuer, clientId: 'signer', key: other, kid: 'k1', alg: 'ES256', ...loopback }),
    ],
  ])('C11 %s is refused, final and told', async (_, registration) => {
    const before = asked.length
    await expect(ask(registration())).rejects.toMatchObject({
      code: 'ERR_TOKEN_ENDPOINT',
      oauthCode: 'invalid_client',
    })
    expect(asked).toHaveLength(before + 1)
  })
})
