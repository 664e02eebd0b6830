import { describe, expect, it } from 'vitest'
import { outcome, resource, resourceServerAt, setClock, startAuthorizationServer } from './fixture.js'
import { loopbackServer } from '../../src/testing/loopback-server.js'

interface Place {
  readonly status?: number
  readonly body?: unknown
}

/** A host that answers metadata as told and counts what it was asked for. */
async function metadataHost(answers: (origin: string) => Record<string, Place>) {
  const asked: string[] = []
  const host = await loopbackServer((request, response) => {
    asked.push(request.url ?? '')
    const { status = 404, body } = answers(host.origin)[request.url ?? ''] ?? {}
    response.writeHead(status).end(JSON.stringify(body ?? {}))
  })
  return { origin: host.origin, asked, close: () => host.close() }
}

describe('A50 issuer metadata', () => {
  it.each([
    [{}, 1],
    [{ metadataAt: 'openid' }, 1],
    [{ issuerPath: '/tenant' }, 1],
    [{ issuerPath: '/tenant', metadataAt: 'openid' }, 1],
  ] as const)('is found with %j', async (options, requests) => {
    const as = await startAuthorizationServer(options)
    const server = resourceServerAt(setClock(), { issuer: as.issuer })
    expect(await outcome(server.verify(await as.mint({ resource })))).toBe('accepted')
    expect(as.requests).toMatchObject({ metadata: requests, jwks: 1 })
  })

  it('is read once, and again only after keys could not be read', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { issuer: as.issuer })
    const read = async () => outcome(server.verify(await as.mintBad('unknown-kid', { resource })))
    expect(await read()).toBe('key')
    clock.advance(30)
    expect(await read()).toBe('key')
    expect(as.requests).toMatchObject({ metadata: 1, jwks: 2 })
    const end = as.fault('jwks', 'outage')
    clock.advance(30)
    expect(await read()).toBe('undecided')
    end()
    clock.advance(30)
    expect(await read()).toBe('key')
    expect(as.requests).toMatchObject({ metadata: 2, jwks: 4 })
  })

  it('is not needed with jwksUri', async () => {
    const as = await startAuthorizationServer()
    as.fault('metadata', 'outage')
    const server = resourceServerAt(setClock(), { issuer: as.issuer, jwksUri: as.jwksUri })
    expect(await outcome(server.verify(await as.mint({ resource })))).toBe('accepted')
    expect(as.requests.metadata).toBe(0)
  })

  it.each([
    ['another issuer', (origin: string) => ({ issuer: 'https://evil.example', jwks_uri: `${origin}/jwks` })],
    ['a trailing slash', (origin: string) => ({ issuer: `${origin}/`, jwks_uri: `${origin}/jwks` })],
    ['no issuer', (origin: string) => ({ jwks_uri: `${origin}/jwks` })],
    ['no keys', (origin: string) => ({ issuer: origin })],
    [
      'keys at http elsewhere',
      (origin: string) => ({ issuer: origin, jwks_uri: 'http://keys.example/jwks' }),
    ],
    ['keys in a file', (origin: string) => ({ issuer: origin, jwks_uri: 'file:///etc/passwd' })],
    ['keys at no URL', (origin: string) => ({ issuer: origin, jwks_uri: '/jwks' })],
    ['keys in a list', (origin: string) => ({ issuer: origin, jwks_uri: [`${origin}/jwks`] })],
  ])('with %s is undecided, and no keys are read', async (_, body) => {
    const as = await startAuthorizationServer()
    const host = await metadataHost((origin) => ({
      '/.well-known/oauth-authorization-server': { status: 200, body: body(origin) },
      '/jwks': { status: 200, body: { keys: as.publishedKeys() } },
    }))
    const server = resourceServerAt(setClock(), { issuer: host.origin })
    const token = await as.mint({ resource, claims: { iss: host.origin } })
    expect(await server.verify(token)).toMatchObject({
      outcome: 'undecided',
      reason: expect.stringMatching(/^issuer metadata: /),
    })
    expect(host.asked).toEqual(['/.well-known/oauth-authorization-server'])
    await host.close()
  })

  it('goes to the next place after 404 only, and never to the root of an issuer with a path', async () => {
    const as = await startAuthorizationServer()
    for (const status of [404, 403, 500]) {
      const host = await metadataHost(() => ({ '/.well-known/oauth-authorization-server/t': { status } }))
      const server = resourceServerAt(setClock(), { issuer: `${host.origin}/t` })
      const token = await as.mint({ resource, claims: { iss: `${host.origin}/t` } })
      expect(await outcome(server.verify(token))).toBe('undecided')
      expect(host.asked).toEqual(
        [
          '/.well-known/oauth-authorization-server/t',
          '/.well-known/openid-configuration/t',
          '/t/.well-known/openid-configuration',
        ].slice(0, status === 404 ? 3 : 1),
      )
      await host.close()
    }
  })

  it('A4 a token never causes a request to an issuer it names', async () => {
    const as = await startAuthorizationServer()
    const host = await metadataHost(() => ({}))
    const server = resourceServerAt(setClock(), { issuer: as.issuer })
    const token = await as.mint({ resource, claims: { iss: host.origin } })
    expect(await outcome(server.verify(token))).toBe('issuer')
    expect(host.asked).toEqual([])
    expect(as.requests).toMatchObject({ metadata: 0, jwks: 0 })
    await host.close()
  })

  it('a token that cannot be good is refused without reading keys, even while they cannot be read', async () => {
    const as = await startAuthorizationServer()
    as.fault('jwks', 'outage')
    const server = resourceServerAt(setClock(), { issuer: as.issuer })
    for (const kind of ['expired', 'wrong-audience', 'id-token', 'hs256-public-key'] as const) {
      const verification = await server.verify(await as.mintBad(kind, { resource }))
      expect(verification.outcome).toBe('refused')
    }
    expect(as.requests).toMatchObject({ metadata: 0, jwks: 0 })
  })
})
