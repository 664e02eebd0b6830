import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome, resource } from './fixture.js'
import { jwtResourceServer, type ResourceServer } from '../../src/resource-server/index.js'

let host: Server
let issuer: string
let resourceServer: ResourceServer

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
        client_secret: 'job-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          audience,
          scope: 'notes:read notes:write',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  const handle = provider.callback()
  host.on('request', (request, response) => void handle(request, response))
  resourceServer = jwtResourceServer({ resource, issuer, subjectFrom: 'client_id', allowLoopbackHttp: true })
})

afterAll(async () => {
  await resourceServer.close()
  host.closeAllConnections()
  host.close()
})

async function token(audience: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('job:job-secret')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience, scope: 'notes:read' }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

describe('oidc-provider', () => {
  it('A50 A52 its RFC 9068 token for this resource is accepted by its published metadata and keys', async () => {
    expect(await resourceServer.verify(await token(resource))).toMatchObject({
      outcome: 'accepted',
      principal: { issuer, subject: 'job', clientId: 'job', scopes: ['notes:read'] },
    })
  })

  it('B077 its token for another resource is refused', async () => {
    expect(await outcome(resourceServer.verify(await token('https://api.example.com/other')))).toBe(
      'audience',
    )
  })
})
