import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { outcome, resource, setClock, startAuthorizationServer } from '../fixture.js'
import { activeAnswer, introspecting, scriptedEndpoint, type Scripted } from './fixture.js'

const thumbprint = 'a'.repeat(43)

async function decided(scripted: (issuer: string) => Scripted, options: Record<string, unknown> = {}) {
  const host = await scriptedEndpoint(() => scripted(host.issuer))
  const { issuer, endpoint } = host
  return introspecting({ issuer, endpoint, ...options }).verify('opaque')
}

const active = (members: Readonly<Record<string, unknown>>, options?: Record<string, unknown>) =>
  decided((issuer) => activeAnswer(issuer, members), options)

const now = () => Math.floor(Date.now() / 1000)

describe('A80 A85 an active token', () => {
  it('becomes a frozen principal', async () => {
    const as = await startAuthorizationServer()
    const server = introspecting({ issuer: as.issuer, impliedScopes: { admin: ['read'] } })
    const token = as.mintOpaque({
      resource,
      scopes: ['admin'],
      subject: 'bob',
      clientId: 'app',
      claims: { tenant: 't1' },
    })
    const verification = await server.verify(token)
    expect(verification).toMatchObject({
      outcome: 'accepted',
      principal: {
        issuer: as.issuer,
        subject: 'bob',
        clientId: 'app',
        scopes: ['admin', 'read'],
        claims: { tenant: 't1', aud: resource },
      },
    })
    expect(Object.isFrozen(verification)).toBe(true)
    expect(JSON.stringify(verification)).not.toContain('"active"')
  })

  it('may be a JWT of the same issuer', async () => {
    const as = await startAuthorizationServer()
    const server = introspecting({ issuer: as.issuer })
    expect(await outcome(server.verify(await as.mint({ resource })))).toBe('accepted')
    expect(as.requests).toMatchObject({ introspection: 1, jwks: 0 })
  })

  it.each<[string, Record<string, unknown>, string, Record<string, unknown>?]>([
    ['without aud', { aud: undefined }, 'audience'],
    ['for another audience (G14)', { aud: 'https://api.example.com/other' }, 'audience'],
    ['for an audience with a slash more', { aud: `${resource}/` }, 'audience'],
    ['for a list without us', { aud: ['a', 'b'] }, 'audience'],
    ['for a list with us', { aud: ['a', resource] }, 'accepted'],
    ['for an accepted audience', { aud: 'api://x' }, 'accepted', { acceptedAudiences: ['api://x'] }],
    ['without aud, bound to the endpoint', { aud: undefined }, 'accepted', { audienceBinding: 'endpoint' }],
    ['for others, although bound to the endpoint', { aud: 'x' }, 'audience', { audienceBinding: 'endpoint' }],
    ['for nobody, although bound to the endpoint', { aud: [] }, 'audience', { audienceBinding: 'endpoint' }],
    ['of another issuer', { iss: 'https://evil.example' }, 'issuer'],
    ['of no issuer', { iss: null }, 'issuer'],
    ['without iss', { iss: undefined }, 'accepted'],
    ['that ended', { exp: now() - 60 }, 'expired'],
    ['that ended within the tolerance', { exp: now() }, 'accepted', { clockToleranceSeconds: 60 }],
    ['that begins later', { nbf: now() + 600 }, 'not-yet-valid'],
    ['that was made later', { iat: now() + 600 }, 'not-yet-valid'],
    ['with a text for exp', { exp: '9999999999' }, 'claims'],
    ['with null for exp', { exp: null }, 'claims'],
    ['with exp beyond all times', { exp: 1e300 }, 'claims'],
    ['without sub', { sub: undefined }, 'claims'],
    ['with an empty sub', { sub: '' }, 'claims'],
    ['with a number for sub', { sub: 7 }, 'claims'],
    [
      'without sub, the client being the subject',
      { sub: undefined, client_id: 'c' },
      'accepted',
      { subjectFrom: 'client_id' },
    ],
    ['with neither', { sub: undefined }, 'claims', { subjectFrom: 'client_id' }],
    ['with a list for client_id', { client_id: ['c'] }, 'claims'],
    ['with a list of scopes', { scope: ['a', 'b'] }, 'accepted'],
    ['with an ungrammatical scope', { scope: 'a  b' }, 'claims'],
    ['with a number for scope', { scope: 1 }, 'claims'],
    ['of type Bearer', { token_type: 'Bearer' }, 'accepted'],
    ['of type bEARER', { token_type: 'bEARER' }, 'accepted'],
    ['of type DPoP with a key', { token_type: 'dpop', cnf: { jkt: thumbprint } }, 'bound'],
    ['of type DPoP without a key', { token_type: 'DPoP' }, 'proof'],
    [
      'of type DPoP with a certificate only',
      { token_type: 'DPoP', cnf: { 'x5t#S256': thumbprint } },
      'proof',
    ],
    ['of type Bearer with a key', { token_type: 'Bearer', cnf: { jkt: thumbprint } }, 'bound'],
    ['with a certificate', { cnf: { 'x5t#S256': thumbprint } }, 'bound'],
    ['with an empty cnf', { cnf: {} }, 'proof'],
    ['of type N_A', { token_type: 'N_A' }, 'undecided'],
    ['of type refresh_token', { token_type: 'refresh_token' }, 'undecided'],
    ['of type null', { token_type: null }, 'undecided'],
    ['of a schema', { tenant: 't' }, 'accepted', { claims: z.object({ tenant: z.string() }) }],
    ['outside a schema', { tenant: 7 }, 'claims', { claims: z.object({ tenant: z.string() }) }],
  ])('%s: %j is %s', async (_, members, expected, options) => {
    expect(await outcome(await active(members, options))).toBe(expected)
  })

  it('takes scopes as a string, as a list, renamed', async () => {
    const granted = { principal: { scopes: ['x', 'b'] } }
    expect(await active({ scope: ['a', 'b'] }, { scopeMap: { a: 'x' } })).toMatchObject(granted)
    expect(await active({ scope: 'a b' }, { scopeMap: { a: 'x' } })).toMatchObject(granted)
    expect(await active({})).toMatchObject({ principal: { scopes: [] } })
  })

  it('without exp expires a minute later', async () => {
    const clock = setClock()
    const host = await scriptedEndpoint(() => activeAnswer(host.issuer, { exp: undefined }))
    const server = introspecting({ issuer: host.issuer, endpoint: host.endpoint }, clock)
    expect(await server.verify('t')).toMatchObject({ principal: { expiresAt: clock.now() / 1000 + 60 } })
  })

  it('never has its token in the principal, should the answer repeat it', async () => {
    const verification = await active({ access_token: 'opaque', other: 'kept' })
    expect(verification).toMatchObject({ outcome: 'accepted', principal: { claims: { other: 'kept' } } })
    expect(JSON.stringify(verification)).not.toContain('opaque')
  })
})

describe('A84 an inactive token', () => {
  it('is refused, whatever else the answer says', async () => {
    const as = await startAuthorizationServer()
    const server = introspecting({ issuer: as.issuer })
    const token = as.mintOpaque({ resource })
    as.revoke(token)
    expect(await outcome(server.verify(token))).toBe('inactive')
    expect(await outcome(await active({ active: false, token_type: 'nonsense', exp: 'x' }))).toBe('inactive')
  })
})

describe('A83 G14 only an unambiguous object with a boolean `active` is an answer', () => {
  it.each<[string, Scripted]>([
    ['active as text', { active: 'true' }],
    ['active as number', { active: 1 }],
    ['active as null', { active: null }],
    ['no active', { sub: 'alice' }],
    ['a duplicate member', { text: '{"active":false,"active":true}' }],
    ['a duplicate member, escaped', { text: '{"active":false,"\\u0061ctive":true}' }],
    ['a duplicate member further down', { text: '{"active":true,"cnf":{"jkt":"a","jkt":"b"}}' }],
    ['65 levels (G11)', { text: `{"active":true,"x":${'['.repeat(64)}${']'.repeat(64)}}` }],
    ['100,000 levels (G11)', { text: `{"active":true,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}` }],
    ['null', { text: 'null' }],
    ['a list', { text: '[{"active":true}]' }],
    ['a text', { text: '"active"' }],
    ['nothing', { text: '' }],
    ['broken JSON', { text: '{"active":true' }],
    ['HTML', { type: 'text/html', text: '<html>sign in</html>' }],
    ['JSON called HTML', { type: 'text/html', text: '{"active":true}' }],
    [
      'broken UTF-8',
      (response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from([0x7b, 0xff])),
    ],
    ['201', { status: 201, text: '{"active":true}' }],
    ['204', { status: 204, text: '' }],
    ['a signed answer (A90)', { type: 'application/token-introspection+jwt', text: 'e30.e30.e30' }],
  ])('%s is undecided', async (_, scripted) => {
    expect(await outcome(await decided(() => scripted))).toBe('undecided')
  })

  it('with any parameters of the content type', async () => {
    const verification = await decided((issuer) => ({
      type: 'Application/JSON; charset=utf-8',
      text: JSON.stringify(activeAnswer(issuer)),
    }))
    expect(verification.outcome).toBe('accepted')
  })
})
