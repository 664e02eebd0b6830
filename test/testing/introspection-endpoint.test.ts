import * as oauth from 'oauth4webapi'
import { expect, it, onTestFinished } from 'vitest'
import { testAuthorizationServer } from '../../src/testing/index.js'

const resource = 'https://api.example.com/mcp'
// Deprecated to warn against plain http, which is what this server speaks.
// eslint-disable-next-line @typescript-eslint/no-deprecated
const insecure = { [oauth.allowInsecureRequests]: true }

async function scene() {
  const as = await testAuthorizationServer()
  onTestFinished(() => as.close())
  const server = {
    issuer: as.issuer,
    introspection_endpoint: as.introspectionEndpoint,
    jwks_uri: as.jwksUri,
  }
  async function introspect(token: string, { signed = false, secret = 'test-secret' } = {}) {
    const client = {
      client_id: 'test-client',
      ...(signed && { introspection_signed_response_alg: 'ES256' }),
    }
    const authentication = oauth.ClientSecretBasic(secret)
    const response = await oauth.introspectionRequest(server, client, authentication, token, insecure)
    const answer = await oauth.processIntrospectionResponse(server, client, response)
    if (signed) await oauth.validateApplicationLevelSignature(server, response, insecure)
    return answer
  }
  return { as, introspect }
}

it('tells of opaque tokens and signed ones, as oauth4webapi asks', async () => {
  const { as, introspect } = await scene()
  const options = { resource, scopes: ['a', 'b'], subject: 'bob', clientId: 'app' }
  const opaque = as.mintOpaque(options)
  const expected = { active: true, iss: as.issuer, aud: resource, sub: 'bob', scope: 'a b', client_id: 'app' }
  expect(await introspect(opaque)).toMatchObject(expected)
  expect(await introspect(await as.mint(options))).toMatchObject(expected)
  expect(as.requests.introspection).toBe(2)
})

it('signs its answer for a client that accepts nothing else', async () => {
  const { as, introspect } = await scene()
  expect(await introspect(as.mintOpaque({ resource }), { signed: true })).toMatchObject({
    active: true,
    sub: 'alice',
  })
})

it('says no more than inactive of revoked, ended and unknown tokens', async () => {
  const { as, introspect } = await scene()
  const revoked = as.mintOpaque({ resource })
  as.revoke(revoked)
  for (const token of [revoked, as.mintOpaque({ resource, expiresInSeconds: 0 }), 'unknown'])
    expect(await introspect(token)).toEqual({ active: false })
})

it('answers only to its clients, and not without a token', async () => {
  const { as, introspect } = await scene()
  await expect(introspect(as.mintOpaque({ resource }), { secret: 'wrong' })).rejects.toThrow()
  const authorization = `Basic ${btoa('test-client:test-secret')}`
  const empty = await fetch(as.introspectionEndpoint, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams(),
  })
  expect(empty.status).toBe(400)
})

it('drips without end while it is slow', async () => {
  const { as } = await scene()
  as.fault('introspection', 'slow')
  const response = await fetch(as.introspectionEndpoint, { method: 'POST' })
  const reader = response.body!.getReader()
  for (let read = 0; read < 3; read += 1) expect((await reader.read()).done).toBe(false)
  await reader.cancel()
})
