import { describe, expect, it } from 'vitest'
import { introspectionResourceServer, secretBasic } from '../../../src/resource-server/index.js'

const registration = secretBasic({
  issuer: 'https://login.example.com',
  clientId: 'api',
  clientSecret: 's3cret',
})
const base = { resource: 'https://api.example.com/mcp', registration }

describe('introspectionResourceServer refuses at construction', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['resource', 'missing', { resource: undefined }],
    ['resource', 'http', { resource: 'http://127.0.0.1/mcp' }],
    ['registration', 'missing', { registration: undefined }],
    ['registration', 'a list', { registration: [registration] }],
    ['registration', 'of a public client (A80)', { registration: { ...registration, method: 'none' } }],
    [
      'registration',
      'with a method of its own (A80)',
      { registration: { ...registration, method: 'tls_client_auth' } },
    ],
    ['registration.issuer', 'http', { registration: { ...registration, issuer: 'http://127.0.0.1:9' } }],
    ['endpoint', 'http', { endpoint: 'http://127.0.0.1/introspect' }],
    ['endpoint', 'with credentials', { endpoint: 'https://u:p@login.example.com/introspect' }],
    ['acceptedAudiences', 'a text', { acceptedAudiences: 'api' }],
    ['audienceBinding', 'none', { audienceBinding: 'none' }],
    ['signedResponse', 'optional (A90)', { signedResponse: 'optional' }],
    ['subjectFrom', 'email', { subjectFrom: 'email' }],
    ['impliedScopes', 'outside the grammar', { impliedScopes: { a: ['b c'] } }],
    ['scopeMap', 'outside the grammar', { scopeMap: { a: 'b c' } }],
    ['claims', 'not a schema', { claims: {} }],
    ['clockToleranceSeconds', 'above 60', { clockToleranceSeconds: 61 }],
    ['cache', 'true', { cache: true }],
    ['cache.maxSeconds', 'missing', { cache: {} }],
    ['cache.maxSeconds', 'zero', { cache: { maxSeconds: 0 } }],
    ['cache.maxSeconds', 'above 60 (A88)', { cache: { maxSeconds: 61 } }],
    ['maxConcurrentRequests', 'zero', { maxConcurrentRequests: 0 }],
    ['maxConcurrentRequests', 'infinite', { maxConcurrentRequests: Infinity }],
  ])('%s: %s', (name, _, change) => {
    expect(() => introspectionResourceServer({ ...base, ...change })).toThrow(
      expect.objectContaining({
        name: 'DefinitionError',
        code: 'ERR_OPTION',
        message: expect.stringMatching(new RegExp(`^\`${name.replace('.', '\\.')}\` `)),
      }),
    )
  })
})

describe('introspectionResourceServer', () => {
  it('names resource and issuer as configured, needs no network to be built, and shows no secret', () => {
    const server = introspectionResourceServer(base)
    expect(server).toMatchObject({
      resource: 'https://api.example.com/mcp',
      issuers: ['https://login.example.com'],
      relaxations: [],
    })
    expect(Object.isFrozen(server)).toBe(true)
    expect(JSON.stringify(server)).not.toContain('s3cret')
  })

  it('says what it relaxes', () => {
    const { relaxations } = introspectionResourceServer({
      ...base,
      acceptedAudiences: ['api://x'],
      audienceBinding: 'endpoint',
      subjectFrom: 'client_id',
      cache: { maxSeconds: 30 },
      clockToleranceSeconds: 10,
      allowLoopbackHttp: true,
    })
    expect(relaxations!.map((sentence) => sentence.split(':')[0])).toEqual([
      'acceptedAudiences',
      'audienceBinding',
      'subjectFrom',
      'cache',
      'clockToleranceSeconds',
      'allowLoopbackHttp',
    ])
  })
})
