import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { publicClient } from '../../../src/oauth/registration/public.js'
import type { IssuerQuirks } from '../../../src/oauth/registration/quirks.js'
import {
  authorizationRequest,
  type AuthorizationQuestion,
} from '../../../src/transports/consent/authorization-request.js'
import { requestedScopes, type ScopeSources } from '../../../src/transports/consent/requested-scopes.js'

const issuer = 'https://login.example.com'
const redirectUri = 'https://app.example.com/cb'

function request(
  changes: Partial<AuthorizationQuestion> = {},
  endpoint = `${issuer}/authorize`,
  quirks: IssuerQuirks = {},
) {
  return authorizationRequest({
    server: { issuer, authorization_endpoint: endpoint },
    registration: publicClient({ issuer, clientId: 'notes app&x=1', quirks }),
    resource: 'https://api.example.com',
    redirectUri,
    scopes: ['a', 'b'],
    ...changes,
  })
}

describe('B70 the authorization request', () => {
  test('B72 B75 F8 has exactly its parameters, the resource byte for byte', async () => {
    const { url, state, codeVerifier } = await request()
    expect(url.origin + url.pathname).toBe(`${issuer}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'notes app&x=1',
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
      resource: 'https://api.example.com',
      scope: 'a b',
    })
    expect(codeVerifier).toMatch(/^[\w-]{43}$/)
    expect(state).toMatch(/^[\w-]{43}$/)
    expect(url.href).not.toContain(codeVerifier)
  })

  test('G45 state and verifier are never the same twice', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => request()))
    expect(new Set(made.flatMap(({ state, codeVerifier }) => [state, codeVerifier])).size).toBe(100)
  })

  test('B73 F10 F50 no scope and no resource where there are none', async () => {
    const { url } = await request({ scopes: [], resource: undefined })
    expect(url.searchParams.has('scope')).toBe(false)
    expect(url.searchParams.has('resource')).toBe(false)
  })

  test('B71 the query of the endpoint is kept, parameters of the operator are added', async () => {
    const { url } = await request({}, `${issuer}/authorize?p=b2c%2Dx&q`, {
      extraAuthorizationParams: { audience: 'x y' },
    })
    expect(url.search.startsWith('?p=b2c%2Dx&q&')).toBe(true)
    expect(url.searchParams.get('audience')).toBe('x y')
    expect(url.searchParams.getAll('client_id')).toHaveLength(1)
  })

  test.each([
    'response_type',
    'response_mode',
    'client_id',
    'redirect_uri',
    'scope',
    'state',
    'code_challenge',
    'code_challenge_method',
    'resource',
    'request',
    'request_uri',
  ])('B71 G46 an endpoint that presets %s is refused, and so is the operator', async (name) => {
    await expect(request({}, `${issuer}/authorize?${name}=x`)).rejects.toMatchObject({
      code: 'ERR_DISCOVERY',
    })
    await expect(
      request({}, `${issuer}/authorize?%${name.charCodeAt(0).toString(16)}${name.slice(1)}=x`),
    ).rejects.toMatchObject({ code: 'ERR_DISCOVERY' })
    expect(() =>
      publicClient({ issuer, clientId: 'a', quirks: { extraAuthorizationParams: { [name]: 'x' } } }),
    ).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'ms-calculator:x',
    'http://login.example.com/authorize',
    'http://127.0.0.1/authorize',
    'https://a@b.example/',
    'https://:p@b.example/',
    'https://x.example/$(calc)',
    'https://x.example/`calc`',
    'https://x.example/"x',
    "https://x.example/'x",
    'https://x.example/a|b',
    'https://x.example/a^b',
    'https://x.example/<x>',
    'https://x.example/a b',
    'https://x.example/a\nb',
    'https://x.example/a\u0000b',
    'https://x.example/a\\b',
    'https://x.example/#x',
    'https://é.example/',
    `https://x.example/${'x'.repeat(9_000)}`,
    '/authorize',
    '',
  ])('B76 F38 G46 %j is never opened', async (endpoint) => {
    await expect(request({}, endpoint)).rejects.toMatchObject({ code: 'ERR_DISCOVERY' })
  })

  test('B76 F38 whatever the endpoint, the URL to open is https and holds nothing that a shell reads', async () => {
    const character = fc.constantFrom(...Array.from('a/?&=%;$`\'"\\ |<>(){}^~!*#@:[]\n\u00e9'))
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: character, maxLength: 20 }), async (rest) => {
        const made = await request({}, `https://login.example.com/${rest}`).catch(() => undefined)
        if (made === undefined) return
        expect(made.url.protocol).toBe('https:')
        expect(made.url.href).toMatch(/^[A-Za-z0-9._~:/?[\]@!&()*+,;=%-]+$/)
        expect(made.url.searchParams.getAll('redirect_uri')).toEqual([redirectUri])
      }),
    )
  })

  test('values of any kind arrive as they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 30 }), async (value) => {
        const { url } = await request(
          { resource: `https://api.example.com/${encodeURIComponent(value)}` },
          undefined,
          {
            extraAuthorizationParams: { audience: value },
          },
        )
        expect(url.searchParams.get('audience')).toBe(value)
        expect(url.searchParams.get('resource')).toBe(`https://api.example.com/${encodeURIComponent(value)}`)
      }),
    )
  })
})

describe('B73 B74 the scopes to ask for', () => {
  const offline = { scopes_supported: ['a', 'offline_access', 'never'] }
  test.each<[string, Partial<ScopeSources>, readonly string[]]>([
    ['those of the challenge', { challenged: ['b', 'a'], scopesSupported: ['c'] }, ['b', 'a']],
    ['all the resource supports', { scopesSupported: ['c', 'd', 'c'] }, ['c', 'd']],
    ['F29 none, whatever the authorization server supports', { server: offline }, []],
    [
      'F27 on step-up with those of before',
      { requested: ['a', 'b'], challenged: ['c', 'b'] },
      ['a', 'b', 'c'],
    ],
    ['an empty challenge asks for none', { challenged: [], scopesSupported: ['c'] }, []],
    [
      'F30 what the operator says',
      { challenged: ['a'], quirks: { scopeOverride: ['x/.default'] } },
      ['x/.default'],
    ],
    [
      'F30 no more than the ceiling',
      { scopesSupported: ['a', 'b'], quirks: { scopeCeiling: ['b', 'z'] } },
      ['b'],
    ],
    [
      'no offline access because a resource lists it',
      { scopesSupported: ['a', 'offline_access'], server: offline },
      ['a'],
    ],
    ['none because a challenge does', { challenged: ['a', 'offline_access'], server: offline }, ['a']],
    [
      'offline access by option, where it is listed',
      { challenged: ['a'], server: offline, quirks: { offlineAccess: true } },
      ['a', 'offline_access'],
    ],
    ['not where it is not listed', { challenged: ['a'], quirks: { offlineAccess: true } }, ['a']],
    ['openid only where it is listed', { scopesSupported: ['a', 'openid'], server: offline }, ['a']],
    ['openid where nothing is listed', { scopesSupported: ['a', 'openid'] }, ['a', 'openid']],
  ])('%s', (_name, sources, scopes) => {
    expect(requestedScopes({ quirks: {}, server: {}, ...sources })).toEqual(scopes)
  })

  test('G54 F28 a challenge above the ceiling is not consented to', () => {
    const sources = { challenged: ['a', 'admin'], quirks: { scopeCeiling: ['a'] }, server: {} }
    expect(() => requestedScopes(sources)).toThrow(
      expect.objectContaining({ code: 'ERR_INSUFFICIENT_SCOPE', required: ['a', 'admin'] }),
    )
  })

  test('G54 a resource that is never content is told so before requests grow without end', () => {
    const requested = Array.from({ length: 127 }, (_, index) => `s${index}`)
    const asking = (challenged: string[]) =>
      requestedScopes({ requested, challenged, quirks: {}, server: {} })
    expect(asking(['a'])).toHaveLength(128)
    expect(() => asking(['a', 'b'])).toThrow(expect.objectContaining({ required: ['a', 'b'] }))
  })

  test('step-up only ever adds', () => {
    const scopes = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'offline_access'), { maxLength: 6 })
    fc.assert(
      fc.property(scopes, scopes, (requested, challenged) => {
        const asked = requestedScopes({ requested, challenged, quirks: {}, server: {} })
        expect(new Set(asked)).toEqual(
          new Set([...requested, ...challenged].filter((scope) => scope !== 'offline_access')),
        )
        expect(new Set(asked).size).toBe(asked.length)
      }),
    )
  })
})
