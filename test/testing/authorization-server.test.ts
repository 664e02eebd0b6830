import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  badTokenKinds,
  testAuthorizationServer,
  type TestAuthorizationServer,
  type TestAuthorizationServerOptions,
} from '../../src/testing/index.js'

const resource = 'https://api.example.com/mcp'

async function start(options?: TestAuthorizationServerOptions): Promise<TestAuthorizationServer> {
  const as = await testAuthorizationServer(options)
  onTestFinished(() => as.close())
  return as
}

async function form(as: TestAuthorizationServer, fields: Record<string, string>, authorization?: string) {
  const headers = { ...(authorization !== undefined && { authorization }) }
  const response = await fetch(as.tokenEndpoint, {
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const grant = { grant_type: 'client_credentials', resource, scope: 'a b' }
const post = { client_id: 'test-client', client_secret: 'test-secret' }

describe('testAuthorizationServer', () => {
  it('mints tokens that jose verifies by the published keys', async () => {
    const as = await start()
    const token = await as.mint({
      resource,
      scopes: ['a', 'b'],
      subject: 'bob',
      clientId: 'app',
      expiresInSeconds: 60,
    })
    const keys = createRemoteJWKSet(new URL(as.jwksUri))
    const { payload } = await jwtVerify(token, keys, { issuer: as.issuer, audience: resource, typ: 'at+jwt' })
    expect(payload).toMatchObject({ sub: 'bob', client_id: 'app', scope: 'a b' })
    expect(payload.exp! - payload.iat!).toBe(60)
  })

  it.each([{}, { issuerPath: '/tenant' }] as const)(
    'is discovered by oauth4webapi with %j',
    async (options) => {
      const as = await start(options)
      const issuer = new URL(as.issuer)
      // Deprecated to warn against plain http, which is what this server speaks.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      const insecure = { [oauth.allowInsecureRequests]: true }
      const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
      const metadata = await oauth.processDiscoveryResponse(issuer, response)
      const answer = await oauth.clientCredentialsGrantRequest(
        metadata,
        { client_id: 'test-client' },
        oauth.ClientSecretBasic('test-secret'),
        new URLSearchParams({ resource, scope: 'a b' }),
        insecure,
      )
      const token = await oauth.processClientCredentialsResponse(
        metadata,
        { client_id: 'test-client' },
        answer,
      )
      expect(token).toMatchObject({ token_type: 'bearer', expires_in: 300, scope: 'a b' })
      const keys = createRemoteJWKSet(new URL(as.jwksUri))
      const { payload } = await jwtVerify(token.access_token, keys, { audience: resource })
      expect(payload).toMatchObject({ iss: as.issuer, sub: 'test-client', client_id: 'test-client' })
    },
  )

  it('answers client_credentials with the secret in the body', async () => {
    const as = await start()
    expect(await form(as, { ...grant, ...post })).toMatchObject({ status: 200, body: { scope: 'a b' } })
  })

  it('decodes Basic credentials as RFC 6749 §2.3.1 says', async () => {
    const as = await start({ clients: [{ clientId: 'a:b', clientSecret: 'é%+ ' }] })
    const value = Buffer.from('a%3Ab:%C3%A9%25%2B+').toString('base64')
    expect((await form(as, grant, `Basic ${value}`)).status).toBe(200)
  })

  it.each([
    ['invalid_client', 401, { ...grant, ...post, client_secret: 'wrong' }],
    ['invalid_client', 401, grant],
    ['unsupported_grant_type', 400, { ...grant, ...post, grant_type: 'password' }],
    ['invalid_target', 400, { ...post, grant_type: 'client_credentials' }],
  ])('refuses with %s', async (error, status, fields) => {
    const as = await start()
    expect(await form(as, fields)).toEqual({ status, body: { error } })
  })

  it('counts requests and fails on demand until the fault ends', async () => {
    const as = await start()
    const end = as.fault('jwks', 'outage')
    expect((await fetch(as.jwksUri)).status).toBe(500)
    end()
    expect((await fetch(as.jwksUri)).status).toBe(200)
    expect(as.requests).toMatchObject({ metadata: 0, jwks: 2, token: 0, introspection: 0 })
    as.fault('jwks', 'disconnect')
    await expect(fetch(as.jwksUri)).rejects.toThrow()
    as.fault('jwks', 'redirect')
    expect((await fetch(as.jwksUri, { redirect: 'manual' })).status).toBe(302)
    as.fault('jwks', 'bad-json')
    await expect((await fetch(as.jwksUri)).json()).rejects.toThrow()
    const release = as.fault('jwks', 'hang')
    let answered = false
    const held = fetch(as.jwksUri).then(() => (answered = true))
    while (as.requests.jwks < 6) await new Promise((resolve) => setImmediate(resolve))
    expect(answered).toBe(false)
    release()
    expect(await held).toBe(true)
  })

  it('rotates keys: new ones sign, old ones are published only on request', async () => {
    const as = await start()
    const [first] = as.publishedKeys()
    await as.rotateKeys({ keepOld: true })
    expect(as.publishedKeys()).toHaveLength(2)
    expect(as.publishedKeys()).toContainEqual(first)
    await as.rotateKeys({ sameKid: true })
    const [third] = as.publishedKeys()
    expect(as.publishedKeys()).toHaveLength(1)
    expect(third?.kid).not.toBe(first?.kid)
  })

  it('closes although requests hang, and more than once', async () => {
    const as = await testAuthorizationServer()
    as.fault('jwks', 'hang')
    const held = fetch(as.jwksUri).catch(() => 'dropped')
    while (as.requests.jwks === 0) await new Promise((resolve) => setImmediate(resolve))
    await as.close()
    await as.close()
    expect(await held).toBe('dropped')
    await expect(fetch(as.jwksUri)).rejects.toThrow()
  })

  it('has a bad token for every defect', async () => {
    const as = await start()
    const minted = await Promise.all(badTokenKinds.map((kind) => as.mintBad(kind, { resource })))
    expect(new Set(minted).size).toBe(badTokenKinds.length)
  })
})
