import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createGuard,
  isRejection,
  jwtResourceServer,
  type ResourceServer,
} from '../../src/resource-server/index.js'
import {
  badTokenKinds,
  testAuthorizationServer,
  type TestAuthorizationServer,
} from '../../src/testing/index.js'

const resource = 'https://api.example.com/mcp'
let as: TestAuthorizationServer
let resourceServer: ResourceServer

beforeAll(async () => {
  as = await testAuthorizationServer()
  resourceServer = jwtResourceServer({ resource, issuer: as.issuer, allowLoopbackHttp: true })
})
afterAll(async () => {
  await resourceServer.close()
  await as.close()
})

const reasons: Record<(typeof badTokenKinds)[number], string> = {
  malformed: 'malformed',
  'four-parts': 'malformed',
  'five-parts': 'malformed',
  huge: 'malformed',
  'huge-header': 'malformed',
  'long-kid': 'malformed',
  'header-not-json': 'malformed',
  'claims-not-an-object': 'malformed',
  'duplicate-claim': 'malformed',
  'duplicate-header': 'malformed',
  'alg-none': 'malformed',
  'alg-none-signed': 'algorithm',
  'hs256-public-key': 'algorithm',
  'embedded-jwk': 'key',
  'wrong-key': 'signature',
  'unknown-kid': 'key',
  'changed-claims': 'signature',
  'critical-extension': 'malformed',
  'id-token': 'type',
  'id-jag': 'type',
  'no-typ': 'type',
  'wrong-issuer': 'issuer',
  'issuer-slash': 'issuer',
  'issuer-list': 'issuer',
  'wrong-audience': 'audience',
  'no-audience': 'audience',
  'empty-audience': 'audience',
  'nested-audience': 'audience',
  expired: 'expired',
  'no-exp': 'claims',
  'exp-string': 'claims',
  'exp-absurd': 'claims',
  'lifetime-too-long': 'claims',
  'future-nbf': 'not-yet-valid',
  'future-iat': 'not-yet-valid',
  'no-iat': 'claims',
  'no-sub': 'claims',
  'empty-sub': 'claims',
  'no-jti': 'claims',
  'no-client-id': 'claims',
  'scope-number': 'claims',
  'scope-double-space': 'claims',
  cnf: 'proof',
}

describe('A17 B074 B077 B085 every bad token is answered 401 invalid_token', () => {
  it('accepts the token the bad ones are made from', async () => {
    const guard = createGuard({ resourceServer })
    const token = await as.mint({ resource, scopes: ['a'] })
    const decision = await guard.authenticate({
      method: 'POST',
      target: resource,
      proofs: [],
      authorization: [`Bearer ${token}`],
      url: '/mcp',
    })
    expect(isRejection(decision)).toBe(false)
  })

  it.each(badTokenKinds.map((kind) => [kind, reasons[kind]] as const))('%s (%s)', async (kind, reason) => {
    const guard = createGuard({ resourceServer, basicScopes: ['a'] })
    const token = await as.mintBad(kind, { resource, scopes: ['a'] })
    const decision = await guard.authenticate({
      method: 'POST',
      target: resource,
      proofs: [],
      authorization: [`Bearer ${token}`],
      url: '/mcp',
    })
    expect(decision).toEqual({
      status: 401,
      reason,
      headers: {
        'cache-control': 'no-store',
        'www-authenticate':
          'Bearer resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp", ' +
          'error="invalid_token", scope="a"',
      },
    })
  })
})
