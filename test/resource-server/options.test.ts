import { generateKeyPairSync } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { jwtResourceServer, type JwtResourceServerOptions } from '../../src/resource-server/index.js'

const base: JwtResourceServerOptions = {
  resource: 'https://api.example.com/mcp',
  issuer: 'https://login.example.com',
}
const relaxed = { profile: 'relaxed', allowedTyp: ['JWT'] }
let publicJwk: JWK
let privateJwk: JWK
let shortJwk: JWK

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  publicJwk = await exportJWK(publicKey)
  privateJwk = await exportJWK(privateKey)
  shortJwk = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
})

const wrong: [string, string, () => Record<string, unknown>][] = [
  ['resource', 'missing', () => ({ resource: undefined })],
  ['resource', 'http', () => ({ resource: 'http://127.0.0.1/mcp' })],
  ['issuer', 'missing', () => ({ issuer: undefined })],
  ['issuer', 'with a query', () => ({ issuer: 'https://login.example.com?x=1' })],
  [
    'issuer',
    'http elsewhere, even with allowLoopbackHttp',
    () => ({ issuer: 'http://h.example', allowLoopbackHttp: true }),
  ],
  ['jwksUri', 'http', () => ({ jwksUri: 'http://127.0.0.1/jwks' })],
  ['jwksUri', 'together with keys', () => ({ jwksUri: 'https://login.example.com/jwks', keys: [publicJwk] })],
  ['algorithms', 'none (A51)', () => ({ algorithms: ['none'] })],
  ['algorithms', 'HS256 (A51)', () => ({ algorithms: ['ES256', 'HS256'] })],
  ['algorithms', 'unknown', () => ({ algorithms: ['es256'] })],
  ['algorithms', 'empty', () => ({ algorithms: [] })],
  ['keys', 'empty', () => ({ keys: [] })],
  ['keys', 'private', () => ({ keys: [privateJwk] })],
  ['keys', 'symmetric', () => ({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] })],
  ['keys', 'for encryption (A66)', () => ({ keys: [{ ...publicJwk, use: 'enc' }] })],
  ['keys', 'for another algorithm', () => ({ keys: [{ ...publicJwk, alg: 'ES256K' }] })],
  ['keys', 'short RSA (A62)', () => ({ keys: [shortJwk] })],
  ['keys', 'not a point', () => ({ keys: [{ ...publicJwk, x: 'AAAA' }] })],
  ['profile', 'unknown', () => ({ profile: 'loose' })],
  ['allowedTyp', 'missing for relaxed (A53)', () => ({ profile: 'relaxed' })],
  ['allowedTyp', 'with rfc9068', () => ({ allowedTyp: ['JWT'] })],
  ['allowMissingTyp', 'with rfc9068', () => ({ allowMissingTyp: true })],
  ['clientIdClaims', 'with rfc9068 (A52)', () => ({ clientIdClaims: ['azp'] })],
  ['clientIdClaims', 'a text', () => ({ ...relaxed, clientIdClaims: 'azp' })],
  ['audienceClaim', 'with rfc9068 (A56)', () => ({ audienceClaim: 'client_id', acceptedAudiences: ['a'] })],
  ['audienceClaim', 'unknown', () => ({ ...relaxed, audienceClaim: 'azp' })],
  ['acceptedAudiences', 'empty for clients (A56)', () => ({ ...relaxed, audienceClaim: 'client_id' })],
  ['audienceMode', 'unknown (A55)', () => ({ audienceMode: 'any' })],
  ['acceptedIssuers', 'a predicate', () => ({ acceptedIssuers: () => true })],
  ['acceptedIssuers', 'http', () => ({ acceptedIssuers: ['http://login.example.com'] })],
  ['acceptedIssuers', 'with a query', () => ({ acceptedIssuers: ['https://login.example.com/?x'] })],
  ['requiredClaimValues', 'no value', () => ({ requiredClaimValues: { client_id: [] } })],
  ['requiredClaimValues', 'an empty value', () => ({ requiredClaimValues: { client_id: '' } })],
  ['requiredClaimValues', 'undefined', () => ({ requiredClaimValues: { client_id: undefined } })],
  ['scopeMap', 'to no scope', () => ({ scopeMap: { a: 'b c' } })],
  ['scopeMap', 'from no scope', () => ({ scopeMap: { '': 'b' } })],
  ['scopeMap', 'to a list', () => ({ scopeMap: { a: ['b'] } })],
  ['claims', 'no schema', () => ({ claims: { tenant: 'string' } })],
  [
    'allowedTyp',
    'an ID-JAG (A53)',
    () => ({ profile: 'relaxed', allowedTyp: ['application/OAUTH-ID-JAG+jwt'] }),
  ],
  ['allowedTyp', 'a DPoP proof (A53)', () => ({ profile: 'relaxed', allowedTyp: ['JWT', 'dpop+jwt'] })],
  [
    'allowedTyp',
    'an introspection answer (RFC 9701 §8.1)',
    () => ({ profile: 'relaxed', allowedTyp: ['JWT', 'token-introspection+jwt'] }),
  ],
  ['acceptedAudiences', 'with an empty text', () => ({ acceptedAudiences: [''] })],
  ['acceptedAudiences', 'a text', () => ({ acceptedAudiences: 'api://default' })],
  ['clockToleranceSeconds', 'above 60 (A57)', () => ({ clockToleranceSeconds: 61 })],
  ['clockToleranceSeconds', 'negative', () => ({ clockToleranceSeconds: -1 })],
  ['clockToleranceSeconds', 'not a number', () => ({ clockToleranceSeconds: NaN })],
  ['maxTokenLifetimeSeconds', 'a text', () => ({ maxTokenLifetimeSeconds: '60' })],
  ['staleIfErrorSeconds', 'without a bound (A73)', () => ({ staleIfErrorSeconds: Infinity })],
  ['maxCachedTokens', 'zero', () => ({ maxCachedTokens: 0 })],
  ['maxCacheSeconds', 'above an hour', () => ({ maxCacheSeconds: 3_601 })],
  ['impliedScopes', 'outside the grammar', () => ({ impliedScopes: { a: ['b c'] } })],
  ['scopeClaims', 'empty text', () => ({ scopeClaims: [''] })],
  ['subjectFrom', 'email', () => ({ subjectFrom: 'email' })],
]

describe('jwtResourceServer refuses at construction', () => {
  it.each(wrong)('%s: %s', (name, _, change) => {
    expect(() => jwtResourceServer({ ...base, ...change() })).toThrow(
      expect.objectContaining({
        name: 'DefinitionError',
        code: 'ERR_OPTION',
        message: expect.stringContaining(name),
      }),
    )
  })
})

describe('jwtResourceServer', () => {
  it('A1 names resource and issuer as configured and needs no network to be built', () => {
    const server = jwtResourceServer({ ...base, issuer: 'https://login.example.com/' })
    expect(server.resource).toBe('https://api.example.com/mcp')
    expect(server.issuers).toEqual(['https://login.example.com/'])
    expect(Object.isFrozen(server) && Object.isFrozen(server.issuers)).toBe(true)
  })

  it('takes every option at its limits', () => {
    const options = {
      clockToleranceSeconds: 60,
      maxTokenLifetimeSeconds: Infinity,
      staleIfErrorSeconds: 86_400,
    }
    expect(() =>
      jwtResourceServer({ ...base, ...options, maxCacheSeconds: 0, maxCachedTokens: 1 }),
    ).not.toThrow()
    expect(() => jwtResourceServer({ ...base, clockToleranceSeconds: 0, keys: [publicJwk] })).not.toThrow()
  })
})
