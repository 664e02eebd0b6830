import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { privateKey, secretBasic, secretPost } from '../../../src/resource-server/index.js'
import { outcome, resource } from '../fixture.js'
import { introspecting } from './fixture.js'

const loopback = { allowLoopbackHttp: true } as const
const awkward = { clientId: 'api:basic', clientSecret: 'a+b c%d&e=f/~-_.!*' }
let host: Server
let issuer: string
let key: CryptoKey

beforeAll(async () => {
  host = createServer()
  await once(host.listen(0, '127.0.0.1'), 'listening')
  issuer = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const own = await generateKeyPair('ES256', { extractable: true })
  const client = await generateKeyPair('ES256', { extractable: true })
  key = client.privateKey
  const quiet = {
    redirect_uris: [],
    response_types: [],
    id_token_signed_response_alg: 'ES256',
    introspection_signed_response_alg: 'ES256',
  } as const
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(own.privateKey)), use: 'sig', alg: 'ES256', kid: 'provider' }] },
    clients: [
      { ...quiet, client_id: 'job', client_secret: 'job-secret', grant_types: ['client_credentials'] },
      { ...quiet, client_id: awkward.clientId, client_secret: awkward.clientSecret, grant_types: [] },
      {
        ...quiet,
        client_id: 'api-post',
        client_secret: 'post-secret',
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: [],
      },
      {
        ...quiet,
        client_id: 'api-key',
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [{ ...(await exportJWK(client.publicKey)), kid: 'api', use: 'sig', alg: 'ES256' }] },
        grant_types: [],
      },
    ],
    ttl: { ClientCredentials: 300 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      jwtIntrospection: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          audience,
          scope: 'notes:read notes:write',
          accessTokenFormat: 'opaque',
        }),
      },
    },
  })
  const handle = provider.callback()
  host.on('request', (request, response) => void handle(request, response))
})

afterAll(() => {
  host.closeAllConnections()
  host.close()
})

async function post(path: string, fields: Record<string, string>): Promise<Record<string, unknown>> {
  const headers = { authorization: `Basic ${btoa('job:job-secret')}` }
  const response = await fetch(issuer + path, { method: 'POST', headers, body: new URLSearchParams(fields) })
  return JSON.parse((await response.text()) || '{}') as Record<string, unknown>
}

async function token(audience = resource): Promise<string> {
  const grant = { grant_type: 'client_credentials', resource: audience, scope: 'notes:read' }
  return (await post('/token', grant))['access_token'] as string
}

const good = () => ({
  outcome: 'accepted',
  principal: { issuer, subject: 'job', clientId: 'job', scopes: ['notes:read'] },
})

describe('oidc-provider', () => {
  it.each([
    ['client_secret_basic (A82)', () => secretBasic({ issuer, ...loopback, ...awkward })],
    [
      'client_secret_post',
      () => secretPost({ issuer, ...loopback, clientId: 'api-post', clientSecret: 'post-secret' }),
    ],
    [
      'private_key_jwt',
      () => privateKey({ issuer, ...loopback, clientId: 'api-key', key, kid: 'api', alg: 'ES256' }),
    ],
  ])('A80 A81 A85 tells us about its opaque token by its metadata: %s', async (_, registration) => {
    const server = introspecting({ issuer, registration: registration(), subjectFrom: 'client_id' })
    expect(await server.verify(await token())).toMatchObject(good())
  })

  it('A84 A85 G15 its token for another resource and a revoked one are refused', async () => {
    const registration = secretBasic({ issuer, ...loopback, ...awkward })
    const server = introspecting({ issuer, registration, subjectFrom: 'client_id' })
    expect(await outcome(server.verify(await token('https://api.example.com/other')))).toBe('audience')
    const revoked = await token()
    expect(await outcome(server.verify(revoked))).toBe('accepted')
    await post('/token/revocation', { token: revoked })
    expect(await outcome(server.verify(revoked))).toBe('inactive')
  })

  it('A87 a wrong secret of ours is undecided', async () => {
    const registration = secretBasic({ issuer, ...loopback, clientId: 'job', clientSecret: 'wrong' })
    const server = introspecting({ issuer, registration, subjectFrom: 'client_id' })
    expect(await outcome(server.verify(await token()))).toBe('undecided')
  })

  it('A90 its signed answer is verified', async () => {
    const registration = secretPost({
      issuer,
      ...loopback,
      clientId: 'api-post',
      clientSecret: 'post-secret',
    })
    const server = introspecting({
      issuer,
      registration,
      subjectFrom: 'client_id',
      signedResponse: 'required',
    })
    expect(await server.verify(await token())).toMatchObject(good())
  })
})
