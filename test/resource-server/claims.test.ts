import { describe, expect, it } from 'vitest'
import {
  outcome,
  resource,
  resourceServerAt,
  setClock,
  startAuthorizationServer,
  type SetClock,
} from './fixture.js'
import type { JwtResourceServerOptions } from '../../src/resource-server/jwt/options.js'
import type { ResourceServer } from '../../src/resource-server/resource-server.js'
import type { MintOptions, TestAuthorizationServer } from '../../src/testing/index.js'

type Options = Partial<JwtResourceServerOptions>

interface Scene {
  readonly as: TestAuthorizationServer
  readonly clock: SetClock
  readonly server: ResourceServer
  readonly seconds: number
  readonly verify: (options: Partial<MintOptions>) => Promise<string>
}

async function scene(options: Options = {}): Promise<Scene> {
  const as = await startAuthorizationServer()
  const clock = setClock()
  const server = resourceServerAt(clock, { issuer: as.issuer, ...options })
  const seconds = clock.now() / 1000
  return {
    as,
    clock,
    server,
    seconds,
    verify: async (wanted) => outcome(server.verify(await as.mint({ resource, ...wanted }))),
  }
}

const relaxed: Options = { profile: 'relaxed', allowedTyp: ['JWT'] }
const plain = { typ: 'JWT' }

describe('A57 A58 times, exact for fractions', () => {
  it.each([0, 0.25, 5, 60])('with a tolerance of %d s', async (clockToleranceSeconds) => {
    const { seconds, verify } = await scene({ clockToleranceSeconds })
    const at = (claims: Record<string, unknown>) => verify({ issuedAt: Math.floor(seconds) - 100, claims })
    const end = seconds - clockToleranceSeconds
    const start = seconds + clockToleranceSeconds
    expect(await at({ exp: end })).toBe('expired')
    expect(await at({ exp: end + 0.002 })).toBe('accepted')
    expect(await at({ exp: end - 0.002 })).toBe('expired')
    expect(await at({ nbf: start })).toBe('accepted')
    expect(await at({ nbf: start + 0.002 })).toBe('not-yet-valid')
    expect(await at({ iat: start, exp: start + 10 })).toBe('accepted')
    expect(await at({ iat: start + 0.002, exp: start + 10 })).toBe('not-yet-valid')
  })

  it('F47 defaults to 5 s', async () => {
    const { seconds, verify } = await scene()
    expect(
      await verify({ issuedAt: seconds - 100, claims: { exp: seconds - 4.9, nbf: seconds + 4.9 } }),
    ).toBe('accepted')
    expect(await verify({ issuedAt: seconds - 100, claims: { exp: seconds - 5.1 } })).toBe('expired')
    expect(await verify({ claims: { nbf: seconds + 5.1 } })).toBe('not-yet-valid')
  })

  it.each([
    ['exp', null],
    ['exp', '1'],
    ['exp', -1],
    ['exp', 1e300],
    ['exp', true],
    ['exp', [1]],
    ['nbf', '1'],
    ['nbf', null],
    ['iat', '1'],
    ['iat', -1],
    ['iat', {}],
  ])('G9 %s must not be %j', async (claim, value) => {
    const { verify } = await scene()
    expect(await verify({ claims: { [claim]: value } })).toBe('claims')
  })

  it('refuses a number JSON cannot hold', async () => {
    const { as, server } = await scene()
    const token = await as.mint({ resource, claims: { exp: 1e300 } })
    expect(await outcome(server.verify(token))).toBe('claims')
  })

  it('A58 limits the time from iat to exp', async () => {
    const { verify } = await scene({ maxTokenLifetimeSeconds: 600 })
    expect(await verify({ expiresInSeconds: 600 })).toBe('accepted')
    expect(await verify({ expiresInSeconds: 601 })).toBe('claims')
    const day = await scene()
    expect(await day.verify({ expiresInSeconds: 86_400 })).toBe('accepted')
    expect(await day.verify({ expiresInSeconds: 86_401 })).toBe('claims')
    const unlimited = await scene({ maxTokenLifetimeSeconds: Infinity })
    expect(await unlimited.verify({ expiresInSeconds: 1e9 })).toBe('accepted')
  })

  it('A58 limits it from now when a relaxed token has no iat', async () => {
    const { verify, seconds } = await scene({ ...relaxed, maxTokenLifetimeSeconds: 600 })
    const at = (exp: number) => verify({ header: plain, claims: { iat: undefined, exp } })
    expect(await at(seconds + 604)).toBe('accepted')
    expect(await at(seconds + 606)).toBe('claims')
  })

  it('refuses a token that ends while its keys are read', async () => {
    const { as, clock, server, seconds } = await scene()
    const release = as.fault('jwks', 'hang')
    const token = await as.mint({ resource, issuedAt: seconds, expiresInSeconds: 10 })
    const pending = outcome(server.verify(token))
    clock.advance(15)
    release()
    expect(await pending).toBe('expired')
  })
})

describe('A55 B077 B078 audience', () => {
  it.each([
    ['a suffix', 'https://api.example.com/mcp-v2'],
    ['a path below', 'https://api.example.com/mcp/x'],
    ['a trailing slash', 'https://api.example.com/mcp/'],
    ['the origin', 'https://api.example.com'],
    ['another letter case', 'https://API.example.com/mcp'],
    ['several in one string', 'https://other.example https://api.example.com/mcp'],
    ['a list without it', ['https://a.example', 'https://b.example']],
    ['an empty list', []],
    ['an empty string', ''],
    ['null', null],
    ['an object', { 0: 'https://api.example.com/mcp' }],
    ['a list in a list', [['https://api.example.com/mcp']]],
    ['a list with something else in it', ['https://api.example.com/mcp', 7]],
  ])('refuses %s', async (_, aud) => {
    const { verify } = await scene()
    expect(await verify({ claims: { aud } })).toBe('audience')
  })

  it('takes the resource alone or in a list', async () => {
    const { verify } = await scene()
    expect(await verify({ resource: [resource] })).toBe('accepted')
    expect(await verify({ resource: ['https://other.example', resource] })).toBe('accepted')
  })

  it('keeps a trailing slash of the resource', async () => {
    const { verify } = await scene({ resource: `${resource}/` })
    expect(await verify({ resource: `${resource}/` })).toBe('accepted')
    expect(await verify({ resource })).toBe('audience')
  })

  it('takes acceptedAudiences exactly, and still the resource', async () => {
    const { verify } = await scene({ acceptedAudiences: ['api://default'] })
    expect(await verify({ resource: 'api://default' })).toBe('accepted')
    expect(await verify({ resource })).toBe('accepted')
    expect(await verify({ resource: 'api://default/' })).toBe('audience')
  })

  it('A48 tokens of two resources on one origin never cross', async () => {
    const as = await startAuthorizationServer()
    const resources = ['https://api.example.com/a', 'https://api.example.com/b']
    for (const own of resources) {
      const server = resourceServerAt(setClock(), { issuer: as.issuer, resource: own })
      for (const other of resources) {
        const expected = own === other ? 'accepted' : 'audience'
        expect(await outcome(server.verify(await as.mint({ resource: other })))).toBe(expected)
      }
    }
  })
})

describe('A52 profile rfc9068', () => {
  it.each(['at+jwt', 'application/at+jwt', 'AT+JWT', 'Application/At+Jwt'])(
    'takes the type %s',
    async (typ) => {
      const { verify } = await scene()
      expect(await verify({ header: { typ } })).toBe('accepted')
    },
  )

  it.each([
    'JWT',
    'jwt',
    '',
    'at+jwt ',
    'application/application/at+jwt',
    'text/at+jwt',
    7,
    null,
    ['at+jwt'],
  ])('refuses the type %j', async (typ) => {
    const { verify } = await scene()
    expect(await verify({ header: { typ } })).toBe('type')
  })

  it.each(['jti', 'client_id', 'sub'])('needs a non-empty text in %s', async (claim) => {
    const { verify } = await scene()
    for (const value of [undefined, null, '', 7, ['x'], {}]) {
      expect(await verify({ claims: { [claim]: value } }), JSON.stringify(value)).toBe('claims')
    }
  })

  it('refuses an issuer without the trailing slash of the configured one', async () => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { issuer: `${as.issuer}/`, jwksUri: as.jwksUri })
    expect(await outcome(server.verify(await as.mint({ resource })))).toBe('issuer')
    expect(await outcome(server.verify(await as.mint({ resource, claims: { iss: `${as.issuer}/` } })))).toBe(
      'accepted',
    )
  })

  it('A61 refuses every sender-constrained token', async () => {
    const { verify } = await scene()
    for (const cnf of [{ jkt: 'x' }, { 'x5t#S256': 'x' }, { jwk: {} }, {}, null, 'x']) {
      expect(await verify({ claims: { cnf } })).toBe('proof')
    }
  })
})

describe('A53 profile relaxed', () => {
  it('takes tokens of the listed types with less in them', async () => {
    const { verify } = await scene(relaxed)
    const claims = { jti: undefined, client_id: undefined, iat: undefined }
    expect(await verify({ header: plain, claims })).toBe('accepted')
    expect(await verify({ header: { typ: 'at+jwt' }, claims })).toBe('type')
    expect(await verify({ header: { typ: undefined }, claims })).toBe('type')
  })

  it('takes tokens without a type only with allowMissingTyp', async () => {
    const { verify } = await scene({ ...relaxed, allowMissingTyp: true })
    expect(await verify({ header: { typ: undefined } })).toBe('accepted')
    expect(await verify({ header: { typ: '' } })).toBe('type')
    expect(await verify({ header: { typ: null } })).toBe('type')
  })

  it.each([{ nonce: 'n' }, { at_hash: 'h' }, { c_hash: 'h' }, { token_use: 'id' }])(
    'B085 G7 refuses an ID token known by %j',
    async (claims) => {
      const { verify } = await scene({ ...relaxed, allowMissingTyp: true })
      expect(await verify({ header: plain, claims })).toBe('type')
    },
  )

  it.each(['sub', 'exp', 'aud', 'iss'])('still needs %s', async (claim) => {
    const { verify } = await scene(relaxed)
    expect(await verify({ header: plain, claims: { [claim]: undefined } })).not.toBe('accepted')
  })

  it('A60 finds the client in client_id, azp, cid, appid, in this order, and never in sub', async () => {
    const { as, server } = await scene(relaxed)
    const clientOf = async (claims: Record<string, unknown>) => {
      const token = await as.mint({ resource, header: plain, claims: { client_id: undefined, ...claims } })
      const verification = await server.verify(token)
      return verification.outcome === 'accepted' ? verification.principal.clientId : verification
    }
    expect(await clientOf({ azp: 'a', cid: 'b', appid: 'c' })).toBe('a')
    expect(await clientOf({ client_id: 'z', azp: 'a' })).toBe('z')
    expect(await clientOf({ cid: 'b', appid: 'c' })).toBe('b')
    expect(await clientOf({ appid: 'c' })).toBe('c')
    expect(await clientOf({})).toBeUndefined()
    expect(await clientOf({ azp: 7 })).toEqual({ outcome: 'refused', reason: 'claims' })
  })
})

describe('A96 scopes', () => {
  it.each([
    [{}, []],
    [{ scope: '' }, []],
    [{ scope: 'a b' }, ['a', 'b']],
    [{ scope: ['a', 'b'] }, ['a', 'b']],
    [{ scope: 'a a' }, ['a']],
    [{ scope: 'a', scp: 'hidden' }, ['a']],
  ])('reads %j as %j', async (claims, scopes) => {
    const { as, server } = await scene()
    const verification = await server.verify(await as.mint({ resource, claims }))
    expect(verification).toMatchObject({ outcome: 'accepted', principal: { scopes } })
  })

  it.each([null, 7, {}, 'a  b', ' a', 'a"', ['a b'], [7], [''], [['a']]])('refuses %j', async (scope) => {
    const { verify } = await scene()
    expect(await verify({ claims: { scope } })).toBe('claims')
  })

  it('F16 reads all claims named in scopeClaims', async () => {
    const { as, server, verify } = await scene({ scopeClaims: ['scp', 'roles'] })
    const token = await as.mint({ resource, scopes: ['hidden'], claims: { scp: 'a b', roles: ['b', 'c'] } })
    expect(await server.verify(token)).toMatchObject({ principal: { scopes: ['a', 'b', 'c'] } })
    expect(await verify({ claims: { scp: 'a', roles: 7 } })).toBe('claims')
  })

  it('A95 B086 adds implied scopes', async () => {
    const { as, server } = await scene({ impliedScopes: { admin: ['write'], write: ['read'] } })
    expect(await server.verify(await as.mint({ resource, scopes: ['admin'] }))).toMatchObject({
      principal: { scopes: ['admin', 'write', 'read'] },
    })
  })
})

describe('A99 A100 the principal', () => {
  it('holds who is asking, is frozen all the way down, and never holds the token', async () => {
    const { as, server, seconds } = await scene()
    const token = await as.mint({
      resource,
      scopes: ['a'],
      subject: 'bob',
      clientId: 'app',
      claims: { x: { y: [{}] } },
    })
    const verification = await server.verify(token)
    if (verification.outcome !== 'accepted') throw new Error('refused')
    const { principal } = verification
    expect(principal).toMatchObject({ issuer: as.issuer, subject: 'bob', clientId: 'app', scopes: ['a'] })
    expect(principal.expiresAt).toBe(Math.floor(seconds) + 300)
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen))
    expect(frozen(verification)).toBe(true)
    const signature = token.split('.')[2]!
    expect(JSON.stringify(verification)).not.toContain(signature)
  })

  it('takes the subject from the client, and from nothing else, with subjectFrom', async () => {
    const { as, server, verify } = await scene({ subjectFrom: 'client_id' })
    const token = await as.mint({ resource, clientId: 'job', claims: { sub: undefined } })
    expect(await server.verify(token)).toMatchObject({ principal: { subject: 'job', clientId: 'job' } })
    expect(await server.verify(await as.mint({ resource, subject: 'alice', clientId: 'job' }))).toMatchObject(
      {
        principal: { subject: 'job' },
      },
    )
    expect(await verify({ claims: { client_id: undefined } })).toBe('claims')
    const bare = await scene({ ...relaxed, subjectFrom: 'client_id' })
    expect(await bare.verify({ header: plain, claims: { client_id: undefined } })).toBe('claims')
  })

  it('A67 is never made of a token longer than 16 KiB', async () => {
    const { as, server } = await scene()
    expect(await outcome(server.verify(await as.mintBad('huge', { resource })))).toBe('malformed')
  })

  it('G64 refuses a token that carries __proto__', async () => {
    const { verify } = await scene()
    const claims = JSON.parse('{"x":{"__proto__":{"admin":true}}}') as Record<string, unknown>
    expect(await verify({ claims })).toBe('malformed')
  })
})
