import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isForUs } from '../../src/resource-server/jwt/audience-rules.js'
import type { JwtResourceServerOptions } from '../../src/resource-server/jwt/options.js'
import { badTokenKinds, type MintOptions } from '../../src/testing/index.js'
import { outcome, resource, resourceServerAt, setClock, startAuthorizationServer } from './fixture.js'

const relaxed = { profile: 'relaxed', allowedTyp: ['JWT'] } as const
const plain = { typ: 'JWT' }

async function scene(options: Partial<JwtResourceServerOptions> = {}) {
  const as = await startAuthorizationServer()
  const clock = setClock()
  const server = resourceServerAt(clock, { issuer: as.issuer, ...options })
  const mint = (wanted: Partial<MintOptions>) => as.mint({ resource, ...wanted })
  const verify = async (wanted: Partial<MintOptions> = {}) => outcome(server.verify(await mint(wanted)))
  return { as, server, mint, verify, seconds: clock.now() / 1000 }
}

describe('F14 A55 audienceMode', () => {
  const audiences = { acceptedAudiences: ['api://notes'] }

  it.each([
    ['the resource', resource, 'accepted'],
    ['a list of it', [resource], 'accepted'],
    ['both known ones', [resource, 'api://notes'], 'accepted'],
    ['a foreign one', 'https://other.example', 'audience'],
    ['the resource and a foreign one', [resource, 'https://other.example'], 'audience'],
    ['a foreign one and the resource', ['https://other.example', resource], 'audience'],
    ['the resource and a longer one', [resource, `${resource}/`], 'audience'],
    ['an empty list', [], 'audience'],
  ])('only-known: %s', async (_, aud, expected) => {
    const { verify } = await scene({ ...audiences, audienceMode: 'only-known' })
    expect(await verify({ claims: { aud } })).toBe(expected)
  })

  it('contains, the default, takes foreign ones beside the resource', async () => {
    for (const mode of [{}, { audienceMode: 'contains' } as const]) {
      const { verify } = await scene({ ...audiences, ...mode })
      expect(await verify({ resource: [resource, 'https://other.example'] })).toBe('accepted')
    }
  })

  it('only-known accepts a part of what contains accepts, and nothing that names a stranger', () => {
    const names = fc.constantFrom(resource, 'api://notes', 'x', '', 7, null)
    const aud = fc.oneof(names, fc.array(names, { maxLength: 4 }))
    fc.assert(
      fc.property(aud, (named) => {
        const rules = { audiences: new Set([resource, 'api://notes']), clients: undefined }
        const strict = isForUs({ aud: named }, { ...rules, onlyKnownAudiences: true })
        const contains = isForUs({ aud: named }, { ...rules, onlyKnownAudiences: false })
        const list = [named].flat()
        const known = list.filter((name) => rules.audiences.has(name as string)).length
        expect(strict).toBe(known > 0 && known === list.length)
        if (strict) expect(contains).toBe(true)
      }),
    )
  })
})

describe('A56 F15 a token without aud', () => {
  it('is refused whatever is relaxed', async () => {
    const loose = { allowMissingTyp: true, acceptedAudiences: ['a'], requiredClaimValues: {} }
    for (const options of [{}, relaxed, { ...relaxed, ...loose }]) {
      const { verify } = await scene(options)
      const header = options === relaxed || 'profile' in options ? plain : {}
      expect(await verify({ header, claims: { aud: undefined } })).toBe('audience')
    }
  })

  it('is judged by client_id with audienceClaim, which never stands for an aud', async () => {
    const { verify } = await scene({ ...relaxed, audienceClaim: 'client_id', acceptedAudiences: ['app'] })
    const by = (claims: object) => verify({ header: plain, claims: { aud: undefined, ...claims } })
    expect(await by({ client_id: 'app' })).toBe('accepted')
    expect(await by({ client_id: 'App' })).toBe('audience')
    expect(await by({ client_id: undefined, azp: 'app' })).toBe('audience')
    expect(await by({ client_id: 'app', aud: resource })).toBe('accepted')
    expect(await by({ client_id: 'app', aud: 'app' })).toBe('audience')
    expect(await by({ client_id: 'app', aud: [] })).toBe('audience')
    expect(await by({ client_id: 'app', aud: null })).toBe('audience')
    expect(await by({ client_id: 'other', aud: resource })).toBe('audience')
  })
})

describe('requiredClaimValues', () => {
  const required = { token_use: 'access', tenant: ['a', 'b'] }

  it.each([
    [{ token_use: 'access', tenant: 'a' }, 'accepted'],
    [{ token_use: 'access', tenant: 'b' }, 'accepted'],
    [{ token_use: 'access' }, 'claims'],
    [{ tenant: 'a' }, 'claims'],
    [{ token_use: 'Access', tenant: 'a' }, 'claims'],
    [{ token_use: 'access', tenant: 'c' }, 'claims'],
    [{ token_use: 'access', tenant: ['a'] }, 'claims'],
    [{ token_use: ['access'], tenant: 'a' }, 'claims'],
    [{ token_use: true, tenant: 'a' }, 'claims'],
  ])('%j', async (claims, expected) => {
    const { verify } = await scene({ requiredClaimValues: required })
    expect(await verify({ claims })).toBe(expected)
  })

  it('a name that objects inherit is a claim like others', async () => {
    const { verify } = await scene({ requiredClaimValues: { constructor: 'x' } })
    expect(await verify()).toBe('claims')
    expect(await verify({ claims: { constructor: 'x' } })).toBe('accepted')
  })
})

describe('A60 clientIdClaims', () => {
  it('the first that is there names the client, and none is a refusal', async () => {
    const { as, server, verify } = await scene({ ...relaxed, clientIdClaims: ['azp', 'appid'] })
    const client = async (claims: object) => {
      const verified = await server.verify(await as.mint({ resource, header: plain, claims: { ...claims } }))
      return verified.outcome === 'accepted' ? verified.principal.clientId : verified
    }
    expect(await client({ appid: 'b' })).toBe('b')
    expect(await client({ azp: 'a', appid: 'b' })).toBe('a')
    for (const claims of [{}, { azp: '' }, { azp: ['a'] }, { azp: null, appid: 'b' }]) {
      expect(await verify({ header: plain, claims })).toBe('claims')
    }
  })
})

describe('A4 F17 acceptedIssuers', () => {
  it('are names of the one authorization server: its people stay the same people', async () => {
    const other = 'https://old.example/'
    const { as, server, verify } = await scene({ acceptedIssuers: [other] })
    const token = await as.mint({ resource, claims: { iss: other } })
    expect(await server.verify(token)).toMatchObject({
      outcome: 'accepted',
      principal: { issuer: as.issuer, subject: 'alice', claims: { iss: other } },
    })
    expect(server.issuers).toEqual([as.issuer])
    for (const iss of ['https://old.example', 'https://old.example//', [other], `${other} `]) {
      expect(await verify({ claims: { iss } })).toBe('issuer')
    }
  })

  it('never cause a request to themselves', async () => {
    const { as, verify } = await scene({ acceptedIssuers: ['https://old.example/'] })
    expect(await verify({ claims: { iss: 'https://old.example/' } })).toBe('accepted')
    expect(as.requests).toMatchObject({ metadata: 1, jwks: 1 })
  })
})

describe('A53 profile relaxed with everything allowed', () => {
  const everything = {
    ...relaxed,
    allowMissingTyp: true,
    allowedTyp: ['JWT', 'at+jwt'],
    audienceClaim: 'client_id',
    acceptedAudiences: ['test-client'],
    maxTokenLifetimeSeconds: Infinity,
    clockToleranceSeconds: 60,
  } as const

  it.each(['logout+jwt', 'secevent+jwt', 'oauth-id-jag+jwt', 'dpop+jwt', 'client-authentication+jwt'])(
    'refuses the type %s, and to be told to accept it',
    async (typ) => {
      const { verify } = await scene(everything)
      expect(await verify({ header: { typ } })).toBe('type')
      expect(await verify({ header: { typ: `application/${typ}` } })).toBe('type')
      expect(() =>
        resourceServerAt(setClock(), { issuer: 'https://a.example', ...relaxed, allowedTyp: [typ] }),
      ).toThrow(/allowedTyp/)
    },
  )

  it.each([{ nonce: 'n' }, { at_hash: 'h' }, { c_hash: 'h' }, { token_use: 'id' }, { nonce: null }])(
    'G7 refuses the ID token known by %j',
    async (claims) => {
      const { verify } = await scene(everything)
      expect(await verify({ header: plain, claims: { aud: undefined, ...claims } })).toBe('type')
    },
  )

  /** What one of these lacks is what the relaxed profile does not ask for. */
  const harmless = new Set(['id-token', 'no-typ', 'no-iat', 'no-jti', 'lifetime-too-long', 'no-audience'])

  it.each(badTokenKinds.filter((kind) => !harmless.has(kind)))(
    'F52 the bad token %s is refused, never an error and never undecided',
    async (kind) => {
      const { as, server } = await scene(everything)
      const verification = await server.verify(await as.mintBad(kind, { resource }))
      if (kind === 'cnf') expect(verification.outcome).toBe('bound')
      else expect(verification).toMatchObject({ outcome: 'refused' })
    },
  )
})

describe('F47 clocks that differ', () => {
  it.each([
    [0, 1, 'not-yet-valid'],
    [5, 1, 'accepted'],
    [5, 5, 'accepted'],
    [5, 6, 'not-yet-valid'],
    [60, 60, 'accepted'],
  ])('a tolerance of %d s and nbf %d s ahead', async (clockToleranceSeconds, ahead, expected) => {
    const { verify, seconds } = await scene({ clockToleranceSeconds })
    expect(await verify({ claims: { nbf: seconds + ahead } })).toBe(expected)
  })
})
