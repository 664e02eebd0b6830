import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  anyOf,
  createGuard,
  jwtResourceServer,
  publishedMetadata,
  withDpop,
  type ResourceServer,
  type Verification,
} from '../../src/resource-server/index.js'
import { tokenShape } from '../../src/resource-server/token-shape.js'
import { badTokenKinds } from '../../src/testing/index.js'
import { outcome, resource, resourceServerAt, setClock, startAuthorizationServer } from './fixture.js'
import { introspecting } from './introspection/fixture.js'

/** A resource server of the host that tells its own name as the reason for not deciding. */
function named(
  name: string,
  format?: 'jwt' | 'any',
  issuers: readonly string[] = [`https://${name}.example`],
) {
  const seen: string[] = []
  let closed = 0
  const server: ResourceServer = {
    resource,
    issuers,
    ...(format && { accepts: { format, issuers } }),
    verify(token): Verification {
      seen.push(token)
      return { outcome: 'undecided', reason: name }
    },
    close: async () => void (closed += 1),
  }
  return { server, seen, closed: () => closed }
}

function jwt(claims: unknown, header: unknown = { alg: 'ES256' }): string {
  const part = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  return `${part(header)}.${part(claims)}.c2ln`
}

async function asked(server: ResourceServer, token: string): Promise<string> {
  const verification = await server.verify(token)
  return verification.outcome === 'undecided' ? verification.reason : outcome(verification)
}

describe('A4 A91 anyOf chooses one member and asks no other', () => {
  const a = named('a', 'jwt')
  const b = named('b', 'jwt', ['https://b.example', 'https://b-v1.example'])
  const c = named('c', 'any')
  const all = anyOf(a.server, b.server, c.server)
  const signedOnly = anyOf(a.server, b.server)

  it.each<[string, string, string, string]>([
    ['of the first issuer', jwt({ iss: 'https://a.example' }), 'a', 'a'],
    ['of the second issuer', jwt({ iss: 'https://b.example' }), 'b', 'b'],
    ['of the second issuer by another name', jwt({ iss: 'https://b-v1.example' }), 'b', 'b'],
    ['of the introspecting issuer', jwt({ iss: 'https://c.example' }), 'c', 'issuer'],
    ['of another issuer', jwt({ iss: 'https://evil.example' }), 'issuer', 'issuer'],
    ['of an issuer with a slash more', jwt({ iss: 'https://a.example/' }), 'issuer', 'issuer'],
    [
      'with another issuer further down',
      jwt({ act: { iss: 'https://b.example' }, iss: 'https://a.example' }),
      'a',
      'a',
    ],
    [
      'with an issuer only further down',
      jwt({ act: { iss: 'https://b.example' } }),
      'malformed',
      'malformed',
    ],
    [
      'with an issuer in a text',
      jwt({ x: '{"iss":"https://b.example"', iss: 'https://a.example' }),
      'a',
      'a',
    ],
    ['with spaces', jwt('{ "x": [], "iss" : "https://a.example" }'), 'a', 'a'],
    ['with escapes', jwt('{"iss":"https:\\/\\/a.example"}'), 'a', 'a'],
    ['of several issuers', jwt({ iss: ['https://a.example'] }), 'malformed', 'malformed'],
    ['of no issuer', jwt({}), 'malformed', 'malformed'],
    ['with the name of an inherited member', jwt({ iss: 'constructor' }), 'issuer', 'issuer'],
    ['with claims nobody can read', jwt('no JSON'), 'malformed', 'malformed'],
    ['with null as claims', jwt(null), 'malformed', 'malformed'],
    ['without an algorithm', jwt({ iss: 'https://a.example' }, { typ: 'JWT' }), 'a', 'a'],
    ['of three parts that are no JWT', 'one.two.three', 'c', 'malformed'],
    ['of two parts', 'one.two', 'c', 'malformed'],
    ['without a signature', jwt({ iss: 'https://a.example' }, { alg: 'none' }).slice(0, -4), 'a', 'a'],
    [
      'of four parts with the header of a JWT',
      `${jwt({ iss: 'https://a.example' })}.x`,
      'malformed',
      'malformed',
    ],
    ['opaque', 'opaque.+/==', 'c', 'malformed'],
    ['encrypted (A63)', 'eyJhbGciOiJkaXIifQ..aXY.dGV4dA.dGFn', 'malformed', 'malformed'],
    ['ungrammatical', 'a b', 'malformed', 'malformed'],
    ['longer than 16 KiB', 'a'.repeat(16_385), 'malformed', 'malformed'],
  ])('a token %s', async (_, token, withIntrospection, without) => {
    for (const { seen } of [a, b, c]) seen.length = 0
    expect(await asked(all, token)).toBe(withIntrospection)
    expect([...a.seen, ...b.seen, ...c.seen]).toEqual(withIntrospection.length === 1 ? [token] : [])
    expect(await asked(signedOnly, token)).toBe(without)
  })

  it('whatever the token: one member at most, never one of another issuer, and it never throws', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ iss: fc.constantFrom('https://a.example', 'https://c.example', 'x') })
        .map((o) => JSON.stringify(o)),
    )
    const part = text.map((value) => Buffer.from(value).toString('base64url'))
    const token = fc.oneof(
      fc.string(),
      fc
        .array(fc.oneof(part, fc.constant(jwt({}).split('.')[0]!)), { maxLength: 6 })
        .map((parts) => parts.join('.')),
    )
    fc.assert(
      fc.property(token, (value) => {
        for (const { seen } of [a, b, c]) seen.length = 0
        void all.verify(value)
        const shape = tokenShape(value)
        expect(a.seen.length + b.seen.length + c.seen.length).toBeLessThanOrEqual(1)
        if (a.seen.length === 1) expect(shape).toEqual({ format: 'jwt', issuer: 'https://a.example' })
        if (c.seen.length === 1 && shape.format === 'jwt') expect(shape.issuer).toBe('https://c.example')
      }),
    )
  })
})

it('the issuer of a token is the `iss` of its claims, however they are written', () => {
  const inner = fc.dictionary(
    fc.constantFrom('iss', 'a', '{', '"', '\\\\'),
    fc.oneof(fc.string(), fc.json(), fc.constant('"iss":"x"')),
  )
  const claims = fc.dictionary(
    fc.constantFrom('iss', 'act', 'b', '{"iss":"'),
    fc.oneof(fc.webUrl(), fc.string(), inner),
  )
  fc.assert(
    fc.property(claims, fc.constantFrom(undefined, 1), (value, space) => {
      const shape = tokenShape(jwt(JSON.stringify(value, undefined, space)))
      const latin = (iss: unknown) => (typeof iss === 'string' ? Buffer.from(iss).toString('latin1') : iss)
      expect(shape.format).toBe('jwt')
      const { issuer } = shape as { issuer: unknown }
      const expected = Object.hasOwn(value, 'iss') ? value['iss'] : undefined
      if (issuer !== latin(expected)) expect(issuer).toEqual(expected)
    }),
  )
})

describe('A91 anyOf with real members', () => {
  async function scene() {
    const [first, second] = [await startAuthorizationServer(), await startAuthorizationServer()]
    const signed = resourceServerAt(setClock(), { issuer: first.issuer })
    const opaque = introspecting({ issuer: second.issuer })
    return { first, second, server: anyOf(signed, opaque) }
  }

  it('accepts tokens of both, each by its own way', async () => {
    const { first, second, server } = await scene()
    expect(await server.verify(await first.mint({ resource }))).toMatchObject({
      principal: { issuer: first.issuer },
    })
    expect(second.requests.introspection).toBe(0)
    expect(await server.verify(second.mintOpaque({ resource }))).toMatchObject({
      principal: { issuer: second.issuer },
    })
    expect(await outcome(server.verify(await second.mint({ resource })))).toBe('accepted')
    expect(second.requests).toMatchObject({ introspection: 2, jwks: 0 })
    expect(first.requests).toMatchObject({ introspection: 0, jwks: 1 })
  })

  it.each(badTokenKinds)(
    '%s of the signing issuer is introspected only when it has no header of a JWT',
    async (kind) => {
      const { first, second, server } = await scene()
      const { outcome: what } = await server.verify(await first.mintBad(kind, { resource }))
      expect(what).toBe(kind === 'cnf' ? 'bound' : 'refused')
      expect(first.requests.introspection).toBe(0)
      const isOpaque = kind === 'malformed'
      expect(second.requests.introspection).toBe(isOpaque ? 1 : 0)
    },
  )

  it('a failed signature is not introspected, also with one issuer of both kinds', async () => {
    const as = await startAuthorizationServer()
    const server = anyOf(
      introspecting({ issuer: as.issuer }),
      resourceServerAt(setClock(), { issuer: as.issuer }),
    )
    expect(await outcome(server.verify(await as.mintBad('wrong-key', { resource })))).toBe('signature')
    expect(as.requests.introspection).toBe(0)
    expect(await outcome(server.verify(as.mintOpaque({ resource })))).toBe('accepted')
    expect(server.issuers).toEqual([as.issuer])
  })

  it('an outage of one issuer is undecided for its tokens and nothing for the others', async () => {
    const { first, second, server } = await scene()
    const token = second.mintOpaque({ resource })
    await second.close()
    expect(await outcome(server.verify(token))).toBe('undecided')
    expect(await outcome(server.verify(await first.mint({ resource })))).toBe('accepted')
  })

  it('answers at once for a token its member has verified before', async () => {
    const { first, server } = await scene()
    const token = await first.mint({ resource })
    const before = await server.verify(token)
    expect(server.verify(token)).toBe(before)
  })

  it('names all issuers in the metadata, in order', async () => {
    const { first, second, server } = await scene()
    expect(publishedMetadata({ resourceServer: server }).document.authorization_servers).toEqual([
      first.issuer,
      second.issuer,
    ])
  })

  it('is guarded as one: the same 401 for every refusal (G16)', async () => {
    const { first, second, server } = await scene()
    const guard = createGuard({ resourceServer: server })
    const tokens = [
      await first.mintBad('wrong-key', { resource }),
      await first.mintBad('wrong-issuer', { resource }),
      'unknown',
      second.mintOpaque({ resource: 'https://api.example.com/other' }),
    ]
    const answers = await Promise.all(
      tokens.map(async (token) => {
        const request = { url: '/mcp', method: 'POST', target: resource, proofs: [] }
        const decision = await guard.authenticate({ ...request, authorization: [`Bearer ${token}`] })
        return 'status' in decision ? { status: decision.status, headers: decision.headers } : decision
      }),
    )
    expect(answers[0]).toMatchObject({ status: 401 })
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  })

  it('proof of possession stands around it', async () => {
    const { first, server } = await scene()
    const protectedServer = withDpop(server)
    onTestFinished(() => protectedServer.close())
    const token = await first.mint({ resource, claims: { cnf: { jkt: 'a'.repeat(43) } } })
    expect(await outcome(protectedServer.verify(token))).toBe('bound')
  })
})

describe('anyOf', () => {
  it('says what its members relax', () => {
    const one = { ...named('a', 'jwt').server, relaxations: ['first'] }
    const two = { ...named('b', 'jwt').server, relaxations: ['second'] }
    expect(anyOf(one, two, named('c', 'any').server).relaxations).toEqual(['first', 'second'])
  })

  it('closes all, also when one fails to', async () => {
    const [a, b, c] = [named('a', 'jwt'), named('b', 'jwt'), named('c', 'any')]
    const failing = { ...b.server, close: () => Promise.reject(new Error('stuck')) }
    await expect(anyOf(a.server, failing, c.server).close()).rejects.toThrow('stuck')
    expect([a.closed(), c.closed()]).toEqual([1, 1])
  })

  it.each<[string, () => readonly ResourceServer[], RegExp]>([
    ['no members', () => [], /at least one/],
    [
      'two resources',
      () => [named('a', 'jwt').server, { ...named('b', 'jwt').server, resource: `${resource}/` }],
      /one resource/,
    ],
    [
      'two members of one issuer and kind',
      () => [named('a', 'jwt').server, named('a', 'jwt').server],
      /two members/,
    ],
    [
      'two members with one name for an issuer',
      () => [named('a', 'jwt').server, named('b', 'jwt', ['https://b.example', 'https://a.example']).server],
      /two members/,
    ],
    [
      'two introspecting members',
      () => [named('a', 'any').server, named('b', 'any').server],
      /one member that introspects/,
    ],
    ['a member that does not say what it accepts', () => [named('a').server], /needs `accepts`/],
    ['another anyOf', () => [anyOf(named('a', 'jwt').server)], /all members at once/],
    [
      'a member with proof of possession',
      () => [withDpop(jwtResourceServer({ resource, issuer: 'https://a.example' }))],
      /withDpop\(anyOf/,
    ],
  ])('refuses %s', (_, members, message) => {
    expect(() => anyOf(...members())).toThrow(
      expect.objectContaining({
        name: 'DefinitionError',
        code: 'ERR_OPTION',
        message: expect.stringMatching(message),
      }),
    )
  })
})
