import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { privateKey, secretBasic, secretPost, type Registration } from '../../../src/resource-server/index.js'
import { outcome, startAuthorizationServer } from '../fixture.js'
import { activeAnswer, credentials, introspecting, scriptedEndpoint } from './fixture.js'

async function asked(registration: (issuer: string) => Registration, token = 'opaque') {
  const host = await scriptedEndpoint(() => activeAnswer(host.issuer))
  const { issuer, endpoint } = host
  const server = introspecting({ issuer, endpoint, registration: registration(issuer) })
  expect(await outcome(server.verify(token))).toBe('accepted')
  expect(host.seen).toHaveLength(1)
  return host.seen[0]!
}

const basic = (issuer: string) => secretBasic({ issuer, ...credentials })

describe('A81 the request', () => {
  it('is one POST form with token and hint, and nothing of the token in its URL', async () => {
    const { method, url, headers, form } = await asked(basic, 'opaque.+/~._-==')
    expect({ method, url }).toEqual({ method: 'POST', url: '/introspect' })
    expect(headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect([...form]).toEqual([
      ['token', 'opaque.+/~._-=='],
      ['token_type_hint', 'access_token'],
    ])
  })
})

describe('A80 A82 client authentication is as configured', () => {
  it('client_secret_basic, encoding what a form must encode', async () => {
    const secret = { clientId: 'app:1', clientSecret: 'a b+c%&=ä'.replace('ä', '~') }
    const { headers, form } = await asked((issuer) => secretBasic({ issuer, ...credentials, ...secret }))
    const given = Buffer.from(headers.authorization!.replace('Basic ', ''), 'base64').toString()
    expect(given).toBe('app%3A1:a+b%2Bc%25%26%3D~')
    expect(form.has('client_secret')).toBe(false)
  })

  it('client_secret_post', async () => {
    const { headers, form } = await asked((issuer) => secretPost({ issuer, ...credentials }))
    expect(headers.authorization).toBeUndefined()
    expect(Object.fromEntries(form)).toMatchObject({ client_id: 'test-client', client_secret: 'test-secret' })
  })

  it('private_key_jwt, with a new assertion for the issuer each time', async () => {
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { clientId } = credentials
    const host = await scriptedEndpoint(() => activeAnswer(host.issuer))
    const { issuer, endpoint } = host
    const registration = privateKey({
      issuer,
      clientId,
      allowLoopbackHttp: true,
      key,
      kid: 'k',
      alg: 'ES256',
    })
    const server = introspecting({ issuer, endpoint, registration })
    await server.verify('one')
    await server.verify('two')
    const [first, second] = host.seen.map(({ form }) => form)
    for (const form of [first!, second!]) {
      expect(form.has('client_secret')).toBe(false)
      const assertion = form.get('client_assertion')!
      const expected = { issuer: clientId, subject: clientId, audience: issuer }
      await expect(jwtVerify(assertion, createPublicKey(key), expected)).resolves.toBeDefined()
    }
    expect(first!.get('client_assertion')).not.toBe(second!.get('client_assertion'))
  })

  it('is never done in another way when refused (A87)', async () => {
    const host = await scriptedEndpoint(() => ({ status: 401, text: '{"error":"invalid_client"}' }))
    const { issuer, endpoint } = host
    const verification = await introspecting({ issuer, endpoint }).verify('t')
    expect(verification).toEqual({
      outcome: 'undecided',
      reason: 'introspection: our client authentication was not accepted',
      retryAfterSeconds: 1,
    })
    expect(host.seen).toHaveLength(1)
  })

  it('that cannot be made is undecided, and nothing is asked', async () => {
    const host = await scriptedEndpoint(() => activeAnswer(host.issuer))
    const { issuer, endpoint } = host
    const sign = () => Promise.reject(new Error('the key is in a meeting'))
    const client = { issuer, clientId: 'c', allowLoopbackHttp: true, kid: 'k', alg: 'ES256' } as const
    const server = introspecting({ issuer, endpoint, registration: privateKey({ ...client, key: sign }) })
    expect(await server.verify('t')).toMatchObject({ reason: 'introspection: client authentication' })
    expect(host.seen).toHaveLength(0)
  })
})

describe('A63 G11 some tokens are shown to nobody', () => {
  it.each([
    ['an encrypted JWT', 'eyJhbGciOiJkaXIifQ.key.iv.text.tag'],
    ['an encrypted JWT without a key', 'eyJhbGciOiJkaXIifQ..iv.text.tag'],
    ['more than 16 KiB', 'a'.repeat(16_385)],
    ['nothing', ''],
    ['a space', 'a b'],
    ['a line break', 'a\nb'],
    ['a letter outside ASCII', 'ä'],
    ['padding in the middle', 'a=b'],
  ])('%s is malformed, at once', async (_, token) => {
    const as = await startAuthorizationServer()
    const server = introspecting({ issuer: as.issuer })
    expect(server.verify(token)).toEqual({ outcome: 'refused', reason: 'malformed' })
    expect(as.requests.introspection).toBe(0)
  })
})

describe('A4 A50 the endpoint', () => {
  it('is read from the metadata of the issuer, once', async () => {
    const as = await startAuthorizationServer()
    const server = introspecting({ issuer: as.issuer })
    const tokens = Array.from({ length: 20 }, () =>
      as.mintOpaque({ resource: 'https://api.example.com/mcp' }),
    )
    expect(as.requests.metadata).toBe(0)
    const outcomes = await Promise.all(tokens.map((token) => outcome(server.verify(token))))
    expect(new Set(outcomes)).toEqual(new Set(['accepted']))
    expect(as.requests).toMatchObject({ metadata: 1, introspection: 20 })
  })

  it('is read again after asking failed', async () => {
    const as = await startAuthorizationServer()
    const server = introspecting({ issuer: as.issuer })
    const end = as.fault('introspection', 'outage')
    expect(await outcome(server.verify('t'))).toBe('undecided')
    end()
    expect(await outcome(server.verify('t'))).toBe('inactive')
    expect(as.requests).toMatchObject({ metadata: 2, introspection: 2 })
  })

  it.each([
    ['another issuer', (origin: string) => ({ issuer: `${origin}/`, introspection_endpoint: `${origin}/i` })],
    ['no endpoint', (origin: string) => ({ issuer: origin })],
    [
      'an endpoint at http elsewhere',
      (origin: string) => ({ issuer: origin, introspection_endpoint: 'http://h.example/i' }),
    ],
    [
      'an endpoint in a file',
      (origin: string) => ({ issuer: origin, introspection_endpoint: 'file:///etc/passwd' }),
    ],
    [
      'a list of endpoints',
      (origin: string) => ({ issuer: origin, introspection_endpoint: [`${origin}/i`] }),
    ],
  ])('is nowhere with %s in the metadata', async (_, metadata) => {
    const host = await scriptedEndpoint(() => metadata(host.issuer))
    expect(await introspecting({ issuer: host.issuer }).verify('t')).toMatchObject({
      outcome: 'undecided',
      reason: expect.stringMatching(/^issuer metadata: /),
    })
    expect(host.seen.map(({ url }) => url)).toEqual(['/.well-known/oauth-authorization-server'])
  })
})
