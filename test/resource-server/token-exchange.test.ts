import { decodeJwt } from 'jose'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { callerToken } from '../../src/resource-server/caller-token.js'
import {
  createGuard,
  introspectionResourceServer,
  isRejection,
  jwtResourceServer,
  secretBasic,
  secretPost,
  type Principal,
  type ResourceServer,
  type TokenExchangeOptions,
} from '../../src/resource-server/index.js'
import { tokenExchangeAt } from '../../src/resource-server/token-exchange/token-exchange.js'
import { loopbackServer } from '../../src/testing/loopback-server.js'
import type { TestAuthorizationServer } from '../../src/testing/index.js'
import { resource, setClock, startAuthorizationServer } from './fixture.js'

const upstream = 'https://calendar.example.com'

/** Shows a token to a guard, as a request would. */
async function admitted(resourceServer: ResourceServer, token: string): Promise<Principal> {
  const guard = createGuard({ resourceServer })
  const request = { url: '/mcp', method: 'POST', target: resource, proofs: [] }
  const decision = await guard.authenticate({ ...request, authorization: [`Bearer ${token}`] })
  if (isRejection(decision)) throw new Error(decision.reason)
  return decision
}

async function setUp(options: Partial<TokenExchangeOptions> = {}, as?: TestAuthorizationServer) {
  const server = as ?? (await startAuthorizationServer())
  const { issuer } = server
  const clock = setClock()
  const registration = secretBasic({
    issuer,
    clientId: 'test-client',
    clientSecret: 'test-secret',
    allowLoopbackHttp: true,
  })
  const exchange = tokenExchangeAt(
    { registration, resource: upstream, allowLoopbackHttp: true, ...options },
    clock,
  )
  const resourceServer = jwtResourceServer({ resource, issuer, allowLoopbackHttp: true })
  onTestFinished(async () => {
    await exchange.close()
    await resourceServer.close()
  })
  const mint = (subject = 'alice', expiresInSeconds = 300) =>
    server.mint({ resource, subject, expiresInSeconds })
  const principal = async (subject?: string) => admitted(resourceServer, await mint(subject))
  return { as: server, issuer, clock, registration, exchange, resourceServer, mint, principal }
}

describe('an exchange', () => {
  test('A115 gives another token: for the upstream, of the same subject, with our client as actor', async () => {
    const { exchange, resourceServer, mint, issuer } = await setUp({ scopes: ['events:read'] })
    const token = await mint('bob')
    const { accessToken, scopes, expiresAt } = await exchange(await admitted(resourceServer, token))
    expect(accessToken).not.toBe(token)
    expect(decodeJwt(accessToken)).toMatchObject({
      iss: issuer,
      aud: upstream,
      sub: 'bob',
      scope: 'events:read',
      act: { sub: 'test-client' },
    })
    expect(scopes).toEqual(['events:read'])
    expect(expiresAt).toBeGreaterThan(Date.now() / 1000)
    expect(await resourceServer.verify(accessToken)).toMatchObject({ outcome: 'refused', reason: 'audience' })
  })

  test('an audience, a written endpoint and POST authentication work as well', async () => {
    const as = await startAuthorizationServer()
    const { issuer } = as
    const registration = secretPost({
      issuer,
      clientId: 'test-client',
      clientSecret: 'test-secret',
      allowLoopbackHttp: true,
    })
    const { exchange, principal } = await setUp(
      { registration, endpoint: as.tokenEndpoint, audience: 'calendar', resource: upstream },
      as,
    )
    const { accessToken } = await exchange(await principal())
    expect(decodeJwt(accessToken).aud).toEqual([upstream, 'calendar'])
    expect(as.requests.metadata).toBe(1)
  })

  test('it works for opaque tokens that introspection accepts', async () => {
    const { as, exchange, registration } = await setUp()
    const server = introspectionResourceServer({ resource, registration, allowLoopbackHttp: true })
    onTestFinished(() => server.close())
    const principal = await admitted(server, as.mintOpaque({ resource, subject: 'carol' }))
    expect(decodeJwt((await exchange(principal)).accessToken).sub).toBe('carol')
  })

  test('A99 G24 the principal shows nothing of the token', async () => {
    const { resourceServer, mint } = await setUp()
    const token = await mint()
    const principal = await admitted(resourceServer, token)
    const seen = inspect(principal, { depth: null, showHidden: true }) + JSON.stringify(principal)
    expect(seen).not.toContain(token.slice(-20))
    expect(Object.isFrozen(principal)).toBe(true)
    expect(callerToken(principal)).toBe(token)
  })
})

describe('who has no token', () => {
  test('a principal made by hand, a copy and one of verify alone are told so', async () => {
    const { as, exchange, principal, resourceServer, mint } = await setUp()
    const given = await principal()
    const verification = await resourceServer.verify(await mint('dave'))
    const verified = (verification as { principal: Principal }).principal
    for (const foreign of [{ ...given }, structuredClone(given), verified]) {
      await expect(exchange(foreign)).rejects.toMatchObject({ code: 'ERR_NO_CALLER_TOKEN' })
    }
    expect(as.requests.token).toBe(0)
  })

  test('a token is never sent to another authorization server than its own', async () => {
    const other = await setUp()
    const { exchange, as } = await setUp()
    await expect(exchange(await other.principal())).rejects.toMatchObject({ code: 'ERR_NO_CALLER_TOKEN' })
    expect(as.requests.token).toBe(0)
  })

  test('a token that was refused is not remembered', async () => {
    const { as, resourceServer } = await setUp()
    const token = await as.mintBad('wrong-key', { resource })
    await expect(admitted(resourceServer, token)).rejects.toThrow()
  })
})

describe('keeping', () => {
  test('many at once and again are one exchange for each caller', async () => {
    const { as, exchange, principal } = await setUp()
    const [alice, bob] = [await principal('alice'), await principal('bob')]
    const tokens = await Promise.all([alice, alice, bob, alice, bob].map((one) => exchange(one)))
    await exchange(alice)
    expect(as.requests.token).toBe(2)
    expect(tokens.map(({ accessToken }) => decodeJwt(accessToken).sub)).toEqual([
      'alice',
      'alice',
      'bob',
      'alice',
      'bob',
    ])
  })

  test('never beyond the life of the tokens, nor for more than five minutes', async () => {
    const { as, exchange, clock, resourceServer, mint } = await setUp()
    const short = await admitted(resourceServer, await mint('alice', 100))
    const long = await admitted(resourceServer, await mint('bob', 3_600))
    const asked = async (one: Principal) => {
      const before = as.requests.token
      await exchange(one)
      return as.requests.token - before
    }
    expect([await asked(short), await asked(long)]).toEqual([1, 1])
    clock.advance(80)
    expect([await asked(short), await asked(long)]).toEqual([0, 0])
    clock.advance(15)
    expect([await asked(short), await asked(long)]).toEqual([1, 0])
    clock.advance(250)
    expect(await asked(long)).toBe(1)
  })

  test('a failure is not kept', async () => {
    const { as, exchange, principal } = await setUp()
    const alice = await principal()
    const recover = as.fault('token', 'outage')
    await expect(exchange(alice)).rejects.toMatchObject({ code: 'ERR_AUTHORIZATION_UNAVAILABLE' })
    recover()
    expect((await exchange(alice)).accessToken).toMatch(/^eyJ/)
  })

  test('one who leaves does not stop the others', async () => {
    const { as, exchange, principal } = await setUp()
    const alice = await principal()
    const recover = as.fault('token', 'hang')
    const abort = new AbortController()
    const left = exchange(alice, { signal: abort.signal })
    const stayed = exchange(alice)
    await expect.poll(() => as.requests.token).toBe(1)
    abort.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    recover()
    expect((await stayed).accessToken).toMatch(/^eyJ/)
    await expect(exchange(alice, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone')
  })
})

describe('a failing token endpoint', () => {
  const secrets = ['test-secret', 'eyJ', 'Basic ']
  const told = async (failing: Promise<unknown>) => {
    const error: unknown = await failing.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    const text = inspect(error, { depth: null, showHidden: true }) + String((error as Error).stack)
    for (const secret of secrets) expect(text).not.toContain(secret)
    return error
  }

  test.each(['outage', 'disconnect', 'redirect', 'huge'] as const)('%s is unavailable', async (fault) => {
    const { as, exchange, principal } = await setUp()
    as.fault('token', fault)
    expect(await told(exchange(await principal()))).toMatchObject({ code: 'ERR_AUTHORIZATION_UNAVAILABLE' })
  })

  test('metadata that cannot be had is unavailable', async () => {
    const as = await startAuthorizationServer()
    const { exchange, principal } = await setUp({}, as)
    const alice = await principal()
    as.fault('metadata', 'outage')
    expect(await told(exchange(alice))).toMatchObject({ code: 'ERR_AUTHORIZATION_UNAVAILABLE' })
  })

  test('what it says against us is kept as its code alone', async () => {
    const as = await startAuthorizationServer()
    const registration = secretBasic({
      issuer: as.issuer,
      clientId: 'test-client',
      clientSecret: 'wrong-test-secret',
      allowLoopbackHttp: true,
    })
    const { exchange, principal } = await setUp({ registration }, as)
    expect(await told(exchange(await principal()))).toMatchObject({
      name: 'TokenExchangeError',
      code: 'ERR_TOKEN_ENDPOINT',
      oauthCode: 'invalid_client',
    })
    const revoked = await setUp()
    const token = await revoked.mint()
    const alice = await admitted(revoked.resourceServer, token)
    revoked.as.revoke(token)
    expect(await told(revoked.exchange(alice))).toMatchObject({ oauthCode: 'invalid_request' })
  })

  const good = {
    access_token: 'upstream-token',
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
  }

  test.each([
    ['the token of the caller', (subject: string) => ({ ...good, access_token: subject })],
    ['no token', () => ({ ...good, access_token: undefined })],
    ['a token with a line break', () => ({ ...good, access_token: 'a\r\nb' })],
    [
      'another kind of token',
      () => ({ ...good, issued_token_type: 'urn:ietf:params:oauth:token-type:saml2' }),
    ],
    ['no kind of token', () => ({ ...good, issued_token_type: undefined })],
    ['a token that is no Bearer', () => ({ ...good, token_type: 'N_A' })],
    ['an impossible lifetime', () => ({ ...good, expires_in: -1 })],
    ['a lifetime in words', () => ({ ...good, expires_in: 'soon' })],
    ['broken scopes', () => ({ ...good, scope: 'a  b' })],
    ['scopes in a list', () => ({ ...good, scope: ['a'] })],
    ['a list', () => []],
    ['the token twice', () => '{"access_token":"a","access_token":"b"}'],
    ['broken JSON', () => '{"access_token":'],
  ])('an answer with %s is none', async (_what, answer) => {
    let subject = ''
    const endpoint = await loopbackServer((_request, response) => {
      const body: unknown = answer(subject)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    onTestFinished(() => endpoint.close())
    const { exchange, resourceServer, mint } = await setUp({ endpoint: `${endpoint.origin}/token` })
    subject = await mint()
    const failing = exchange(await admitted(resourceServer, subject))
    expect(await told(failing)).toMatchObject({ code: 'ERR_TOKEN_ENDPOINT', oauthCode: undefined })
  })

  test('an error that repeats what was sent is not told', async () => {
    const endpoint = await loopbackServer((_request, response) => {
      response.writeHead(400).end(JSON.stringify({ error: 'eyJhbGciOi.test-secret' }))
    })
    onTestFinished(() => endpoint.close())
    const { exchange, principal } = await setUp({ endpoint: `${endpoint.origin}/token` })
    expect(await told(exchange(await principal()))).toMatchObject({ oauthCode: undefined })
  })
})

describe('options', () => {
  const registration = secretBasic({ issuer: 'https://login.example.com', clientId: 'x', clientSecret: 'y' })

  test.each([
    ['no registration', { resource: upstream }],
    ['no target', { registration }],
    ['an empty audience', { registration, audience: '' }],
    [
      'a plain http endpoint',
      { registration, resource: upstream, endpoint: 'http://login.example.com/token' },
    ],
    ['a resource that is no URL', { registration, resource: 'calendar' }],
    ['a scope outside the grammar', { registration, resource: upstream, scopes: ['a b'] }],
    ['a client without a secret', { registration: { ...registration, method: 'none' }, resource: upstream }],
  ])('%s stops the start', (_what, options) => {
    const make = () => tokenExchangeAt(options as unknown as TokenExchangeOptions, setClock())
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }) as Error)
  })
})
