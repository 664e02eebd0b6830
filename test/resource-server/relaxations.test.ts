import { describe, expect, it } from 'vitest'
import {
  auth0,
  cognito,
  describeRelaxations,
  entra,
  jwtResourceServer,
  keycloak,
  okta,
  supabase,
  type JwtResourceServerOptions,
} from '../../src/resource-server/index.js'

const base = { resource: 'https://api.example.com/mcp', issuer: 'https://login.example.com' }
const about = (options: Partial<JwtResourceServerOptions>) =>
  describeRelaxations({ ...base, ...options }).map((sentence) => sentence.split(':')[0])

const relaxing: [Partial<JwtResourceServerOptions>, string[]][] = [
  [{ profile: 'relaxed', allowedTyp: ['JWT'] }, ['profile', 'allowedTyp']],
  [{ allowMissingTyp: true }, ['allowMissingTyp']],
  [{ acceptedAudiences: ['api://default'] }, ['acceptedAudiences']],
  [{ acceptedAudiences: ['app'], audienceClaim: 'client_id' }, ['audienceClaim']],
  [{ acceptedIssuers: ['https://old.example'] }, ['acceptedIssuers']],
  [{ subjectFrom: 'client_id' }, ['subjectFrom']],
  [{ clientIdClaims: ['azp'] }, ['clientIdClaims']],
  [{ scopeClaims: ['scope', 'roles'] }, ['scopeClaims']],
  [{ scopeMap: { a: 'b' } }, ['scopeMap']],
  [{ clockToleranceSeconds: 6 }, ['clockToleranceSeconds']],
  [{ maxTokenLifetimeSeconds: Infinity }, ['maxTokenLifetimeSeconds']],
  [{ staleIfErrorSeconds: 1 }, ['staleIfErrorSeconds']],
  [{ allowLoopbackHttp: true }, ['allowLoopbackHttp']],
]

const strict: Partial<JwtResourceServerOptions>[] = [
  {},
  { profile: 'rfc9068', scopeClaims: ['scope'], acceptedAudiences: [], acceptedIssuers: [], scopeMap: {} },
  { audienceMode: 'only-known', audienceClaim: 'aud', requiredClaimValues: { token_use: 'access' } },
  { clockToleranceSeconds: 0, maxTokenLifetimeSeconds: 60, staleIfErrorSeconds: 0, maxCacheSeconds: 0 },
  { impliedScopes: { a: ['b'] }, algorithms: ['ES256'], jwksUri: 'https://login.example.com/jwks' },
]

describe('describeRelaxations', () => {
  it.each(relaxing)('tells of %j', (options, names) => {
    expect(about(options)).toEqual(names)
  })

  it.each(strict)('tells nothing of %j', (options) => {
    expect(about(options)).toEqual([])
  })

  it('names what is let in', () => {
    const told = describeRelaxations({
      ...base,
      acceptedIssuers: ['https://old.example'],
      acceptedAudiences: ['api://a', 'api://b'],
    })
    expect(told).toEqual([
      'acceptedAudiences: tokens for api://a, api://b will do, too',
      'acceptedIssuers: tokens of https://old.example count as tokens of https://login.example.com, about the same people',
    ])
    expect(Object.isFrozen(told)).toBe(true)
  })

  it.each([
    ['entra', entra({ tenant: 'aaaaaaaa-0000-4000-8000-000000000001', audiences: ['api://notes'] })],
    ['okta', okta({ issuer: 'https://acme.okta.com/oauth2/default', audiences: ['api://default'] })],
    ['auth0', auth0({ issuer: 'https://acme.auth0.com/' })],
    ['keycloak', keycloak({ issuer: 'https://login.example.com/realms/acme' })],
    ['cognito', cognito({ issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/p', clients: ['app'] })],
    ['supabase', supabase({ issuer: 'https://acme.supabase.co/auth/v1', clients: ['app'] })],
  ])('tells what the preset %s relaxes, as the resource server does', (_, preset) => {
    const options = { resource: base.resource, ...preset }
    expect(describeRelaxations(options)).toMatchSnapshot()
    expect(jwtResourceServer(options).relaxations).toEqual(describeRelaxations(options))
  })
})
