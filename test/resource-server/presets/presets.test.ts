import { describe, expect, it } from 'vitest'
import { auth0 } from '../../../src/resource-server/presets/auth0.js'
import { cognito } from '../../../src/resource-server/presets/cognito.js'
import { entra } from '../../../src/resource-server/presets/entra.js'
import { keycloak } from '../../../src/resource-server/presets/keycloak.js'
import { okta } from '../../../src/resource-server/presets/okta.js'
import type { Preset } from '../../../src/resource-server/presets/preset.js'
import { supabase } from '../../../src/resource-server/presets/supabase.js'
import type { ResourceServer, Verification } from '../../../src/resource-server/resource-server.js'
import {
  providerToken,
  type ProviderTokenKind,
  type ProviderTokenOptions,
  type TestAuthorizationServer,
} from '../../../src/testing/index.js'
import { outcome, resource, resourceServerAt, setClock, startAuthorizationServer } from '../fixture.js'

const tenant = 'aaaaaaaa-0000-4000-8000-000000000001'
const otherTenant = 'aaaaaaaa-0000-4000-8000-000000000002'
const application = 'bbbbbbbb-0000-4000-8000-000000000001'

interface Provider {
  readonly preset: Preset
  readonly issuer: string
  readonly audience: string
}

const providers = {
  entra: {
    preset: entra({ tenant, audiences: ['api://notes', application] }),
    issuer: tenant,
    audience: application,
  },
  okta: {
    preset: okta({ issuer: 'https://acme.okta.com/oauth2/default', audiences: ['api://default'] }),
    issuer: 'https://acme.okta.com/oauth2/default',
    audience: 'api://default',
  },
  auth0: {
    preset: auth0({ issuer: 'https://acme.auth0.com/' }),
    issuer: 'https://acme.auth0.com/',
    audience: resource,
  },
  keycloak: {
    preset: keycloak({ issuer: 'https://login.example.com/realms/acme' }),
    issuer: 'https://login.example.com/realms/acme',
    audience: resource,
  },
  cognito: {
    preset: cognito({
      issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Acme',
      clients: ['test-client'],
    }),
    issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Acme',
    audience: 'test-client',
  },
  supabase: {
    preset: supabase({ issuer: 'https://acme.supabase.co/auth/v1', clients: ['test-client'] }),
    issuer: 'https://acme.supabase.co/auth/v1',
    audience: 'authenticated',
  },
} satisfies Record<string, Provider>

interface Scene {
  readonly as: TestAuthorizationServer
  readonly server: ResourceServer
  readonly verify: (kind: ProviderTokenKind, options?: Partial<ProviderTokenOptions>) => Promise<Verification>
}

/** The preset with the identifiers of the provider, and the keys of a server that runs here. */
async function scene(name: keyof typeof providers, change: Partial<Preset> = {}): Promise<Scene> {
  const { preset, issuer, audience } = providers[name]
  const as = await startAuthorizationServer()
  const server = resourceServerAt(setClock(), { ...preset, jwksUri: as.jwksUri, ...change })
  return {
    as,
    server,
    verify: async (kind, options) =>
      server.verify(await as.mint(providerToken(kind, { issuer, audience, ...options }))),
  }
}

const good: [keyof typeof providers, ProviderTokenKind, Partial<ProviderTokenOptions>, object][] = [
  ['entra', 'entra-v1', { audience: 'api://notes', scopes: ['a', 'b'] }, { scopes: ['a', 'b'] }],
  ['entra', 'entra-v2', { scopes: ['a', 'b'] }, { scopes: ['a', 'b'] }],
  ['entra', 'entra-v2', { scopes: ['a'], claims: { roles: ['admin'] } }, { scopes: ['a', 'admin'] }],
  ['entra', 'entra-app', { scopes: ['Notes.Read.All'] }, { scopes: ['Notes.Read.All'] }],
  ['okta', 'okta', { scopes: ['a', 'b'] }, { scopes: ['a', 'b'] }],
  ['auth0', 'auth0', { scopes: ['a'] }, { scopes: ['openid', 'profile', 'a'] }],
  ['auth0', 'auth0', { claims: { scope: 'a', permissions: ['b'] } }, { scopes: ['a', 'b'] }],
  ['auth0', 'auth0-machine', { scopes: ['a'] }, { scopes: ['a'], subject: 'test-client@clients' }],
  ['auth0', 'auth0-rfc9068', { scopes: ['a'] }, { scopes: ['openid', 'profile', 'a'] }],
  ['keycloak', 'keycloak', { scopes: ['a'] }, { scopes: ['email', 'profile', 'a'] }],
  ['keycloak', 'keycloak', { claims: { typ: 'DPoP' } }, { scopes: ['email', 'profile'] }],
  ['cognito', 'cognito', { scopes: ['notes/read'] }, { scopes: ['notes/read'] }],
  ['cognito', 'cognito', { claims: { aud: resource } }, { scopes: [] }],
  ['supabase', 'supabase', {}, { scopes: [] }],
]

describe('A53 A96 presets read who is asking from the tokens of their provider', () => {
  it.each(good)('%s: %s %j', async (name, kind, options, principal) => {
    const { verify } = await scene(name)
    expect(await verify(kind, options)).toMatchObject({
      outcome: 'accepted',
      principal: {
        issuer: providers[name].preset.issuer,
        subject: 'alice',
        clientId: 'test-client',
        ...principal,
      },
    })
  })
})

const guidOfClient = 'cccccccc-0000-4000-8000-000000000001'

const bad: [keyof typeof providers, string, ProviderTokenKind, Partial<ProviderTokenOptions>, string][] = [
  ['entra', 'F15 no audience', 'entra-v2', { claims: { aud: undefined } }, 'audience'],
  ['entra', 'G6 another API', 'entra-v2', { audience: guidOfClient }, 'audience'],
  [
    'entra',
    'a token for Graph',
    'entra-v1',
    { audience: '00000003-0000-0000-c000-000000000000' },
    'audience',
  ],
  ['entra', 'another tenant', 'entra-v2', { issuer: otherTenant }, 'issuer'],
  ['entra', 'another tenant, version 1', 'entra-v1', { issuer: otherTenant }, 'issuer'],
  ['entra', 'G7 an ID token for another client', 'entra-id', { audience: guidOfClient }, 'audience'],
  ['entra', 'G7 an ID token of the same application', 'entra-id', {}, 'claims'],
  ['entra', 'G7 an ID token with a nonce', 'entra-id', { claims: { nonce: 'n' } }, 'type'],
  ['okta', 'F15 no audience', 'okta', { claims: { aud: undefined } }, 'audience'],
  ['okta', 'G6 another API', 'okta', { audience: 'api://other' }, 'audience'],
  ['okta', 'a token of the org server', 'okta-org', {}, 'type'],
  ['okta', 'the org server without its type', 'okta', { issuer: 'https://acme.okta.com' }, 'issuer'],
  ['okta', 'G7 an ID token', 'okta-id', { audience: 'test-client' }, 'audience'],
  ['okta', 'G7 an ID token for this audience', 'okta-id', {}, 'claims'],
  ['auth0', 'F15 no audience', 'auth0', { claims: { aud: undefined } }, 'audience'],
  ['auth0', 'G6 another API', 'auth0', { audience: 'https://api.example.com/other' }, 'audience'],
  ['auth0', 'an issuer without its slash', 'auth0', { claims: { iss: 'https://acme.auth0.com' } }, 'issuer'],
  ['auth0', 'permissions of a wrong type (A96)', 'auth0', { claims: { permissions: 7 } }, 'claims'],
  ['auth0', 'G7 an ID token', 'auth0-id', { audience: 'test-client' }, 'audience'],
  ['auth0', 'G7 an ID token for this audience', 'auth0-id', {}, 'claims'],
  ['keycloak', 'F15 no audience', 'keycloak', { claims: { aud: undefined } }, 'audience'],
  ['keycloak', 'F15 no audience mapper', 'keycloak-unmapped', {}, 'audience'],
  ['keycloak', 'G6 another API', 'keycloak', { audience: 'https://api.example.com/other' }, 'audience'],
  ['keycloak', 'another realm', 'keycloak', { issuer: 'https://login.example.com/realms/other' }, 'issuer'],
  [
    'keycloak',
    'the issuer as a proxy sees it',
    'keycloak',
    { issuer: 'http://keycloak:8080/realms/acme' },
    'issuer',
  ],
  ['keycloak', 'G7 an ID token', 'keycloak-id', { audience: 'test-client' }, 'audience'],
  ['keycloak', 'G7 an ID token for this audience', 'keycloak-id', {}, 'claims'],
  ['keycloak', 'a refresh token', 'keycloak', { claims: { typ: 'Refresh' } }, 'claims'],
  ['cognito', 'A56 another client', 'cognito', { clientId: 'other-client' }, 'audience'],
  ['cognito', 'A56 no client', 'cognito', { claims: { client_id: undefined } }, 'audience'],
  ['cognito', 'A56 a list of clients', 'cognito', { claims: { client_id: ['test-client'] } }, 'audience'],
  [
    'cognito',
    'G6 an audience elsewhere',
    'cognito',
    { claims: { aud: 'https://other.example' } },
    'audience',
  ],
  ['cognito', 'an audience that is only a client', 'cognito', { claims: { aud: 'test-client' } }, 'audience'],
  ['cognito', 'G7 an ID token', 'cognito-id', {}, 'type'],
  ['cognito', 'no use', 'cognito', { claims: { token_use: undefined } }, 'claims'],
  ['supabase', 'F15 no audience', 'supabase', { claims: { aud: undefined } }, 'audience'],
  [
    'supabase',
    'an anonymous audience',
    'supabase',
    { audience: 'anon', claims: { aud: 'anon' } },
    'audience',
  ],
  ['supabase', 'another client', 'supabase', { clientId: 'other-client' }, 'claims'],
  ['supabase', 'a session of an app', 'supabase-session', {}, 'claims'],
]

describe('A53 presets refuse what else their provider signs', () => {
  it.each(bad)('%s: %s', async (name, _, kind, options, reason) => {
    const { verify } = await scene(name)
    expect(await outcome(verify(kind, options))).toBe(reason)
  })

  const clients: [keyof typeof providers, ProviderTokenKind, string][] = [
    ['entra', 'entra-v1', 'appid'],
    ['entra', 'entra-v2', 'azp'],
    ['okta', 'okta', 'cid'],
    ['auth0', 'auth0', 'azp'],
    ['keycloak', 'keycloak', 'azp'],
  ]
  it.each(clients)('A60 %s: %s without a client in %s', async (name, kind, claim) => {
    const { verify } = await scene(name)
    const options = kind === 'entra-v1' ? { audience: 'api://notes' } : {}
    expect(await outcome(verify(kind, { ...options, claims: { [claim]: undefined } }))).toBe('claims')
    expect(await outcome(verify(kind, options))).toBe('accepted')
  })

  it.each(Object.keys(providers) as (keyof typeof providers)[])(
    'an unsigned change: %s does not take claims for granted',
    async (name) => {
      const { as, server } = await scene(name)
      const { issuer, audience } = providers[name]
      const kind = name === 'entra' ? 'entra-v2' : name
      const token = await as.mint(providerToken(kind, { issuer, audience }))
      const [header = '', claims = '', signature = ''] = token.split('.')
      const told = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object
      const forged = Buffer.from(JSON.stringify({ ...told, sub: 'mallory' })).toString('base64url')
      expect(await outcome(server.verify([header, forged, signature].join('.')))).toBe('signature')
    },
  )
})

describe('F16 scopes in scp', () => {
  it('are granted from a text and a list, and nothing is granted without the option', async () => {
    const { verify } = await scene('okta')
    expect(await verify('okta', { claims: { scp: 'a b' } })).toMatchObject({
      principal: { scopes: ['a', 'b'] },
    })
    const unread = await scene('okta', { scopeClaims: ['scope'] })
    expect(await unread.verify('okta', { scopes: ['a'] })).toMatchObject({ principal: { scopes: [] } })
  })

  it('are renamed by scopeMap before implied ones are added', async () => {
    const { verify } = await scene('entra', {
      scopeMap: { 'Notes.Write': 'notes:write' },
      impliedScopes: { 'notes:write': ['notes:read'] },
    })
    expect(await verify('entra-v2', { scopes: ['Notes.Write', 'other'] })).toMatchObject({
      principal: { scopes: ['notes:write', 'other', 'notes:read'] },
    })
    expect(await verify('entra-v2', { scopes: ['toString', '__proto__'] })).toMatchObject({
      principal: { scopes: ['toString', '__proto__'] },
    })
  })
})

describe('F17 two issuers with one key set', () => {
  it('make one principal of one person', async () => {
    const { verify } = await scene('entra')
    const first = await verify('entra-v1', { audience: 'api://notes' })
    const second = await verify('entra-v2')
    if (first.outcome !== 'accepted' || second.outcome !== 'accepted') throw new Error('refused')
    expect(first.principal.issuer).toBe(second.principal.issuer)
    expect(first.principal.claims['iss']).toBe(`https://sts.windows.net/${tenant}/`)
  })

  it('and the second is refused without acceptedIssuers', async () => {
    const { verify } = await scene('entra', { acceptedIssuers: [] })
    expect(await outcome(verify('entra-v1', { audience: 'api://notes' }))).toBe('issuer')
    expect(await outcome(verify('entra-v2'))).toBe('accepted')
  })
})

describe('entra', () => {
  it.each(['common', 'organizations', 'consumers', 'acme.onmicrosoft.com', '', `${tenant}/`])(
    'refuses the tenant %j',
    (wrong) => {
      expect(() => entra({ tenant: wrong, audiences: [application] })).toThrow(
        expect.objectContaining({ code: 'ERR_OPTION', message: expect.stringContaining('tenant') }),
      )
    },
  )
})

describe('auth0', () => {
  it('its RFC 9068 dialect needs no preset', async () => {
    const as = await startAuthorizationServer()
    const { issuer, audience } = providers.auth0
    const server = resourceServerAt(setClock(), { issuer, jwksUri: as.jwksUri })
    const token = await as.mint(providerToken('auth0-rfc9068', { issuer, audience, scopes: ['a'] }))
    expect(await server.verify(token)).toMatchObject({ principal: { clientId: 'test-client' } })
    expect(await outcome(server.verify(await as.mint(providerToken('auth0', { issuer, audience }))))).toBe(
      'type',
    )
  })

  it('F14 its user information endpoint in aud is another audience for only-known', async () => {
    const { verify } = await scene('auth0', { audienceMode: 'only-known' })
    expect(await outcome(verify('auth0'))).toBe('audience')
    expect(await outcome(verify('auth0', { claims: { aud: [resource] } }))).toBe('accepted')
  })
})
