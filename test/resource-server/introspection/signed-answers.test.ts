import { CompactSign, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import type { Verification } from '../../../src/resource-server/index.js'
import { signText } from '../../../src/testing/mint.js'
import { signingKey, type SigningKey } from '../../../src/testing/signing-key.js'
import { outcome, resource, setClock, startAuthorizationServer } from '../fixture.js'
import { activeAnswer, introspecting, scriptedEndpoint } from './fixture.js'

const type = 'application/token-introspection+jwt'
const now = () => Math.floor(Date.now() / 1000)

interface Signed {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly sign?: (payload: string, key: SigningKey) => Promise<string>
}

/** What a server makes of a signed answer of an issuer, with as many changes as given. */
async function decided({ header, claims, sign }: Signed): Promise<Verification> {
  const key = await signingKey()
  const host = await scriptedEndpoint(({ url }) => {
    if (url === '/jwks') return { text: JSON.stringify({ keys: [key.publicJwk] }) }
    return url === '/introspect'
      ? { type, text: jws }
      : { issuer, jwks_uri: `${issuer}/jwks`, introspection_endpoint: `${issuer}/introspect` }
  })
  const { issuer } = host
  const all = {
    iss: issuer,
    aud: 'test-client',
    iat: now(),
    token_introspection: activeAnswer(issuer),
    ...claims,
  }
  const payload = JSON.stringify(all)
  const jws = await (sign?.(payload, key) ??
    signText(key, payload, { typ: 'token-introspection+jwt', ...header }))
  return introspecting({ issuer, signedResponse: 'required' }).verify('opaque')
}

describe('A90 signed answers', () => {
  it('are asked for and taken when required', async () => {
    const as = await startAuthorizationServer()
    const server = introspecting({ issuer: as.issuer, signedResponse: 'required' })
    const token = as.mintOpaque({ resource, scopes: ['a'] })
    expect(await server.verify(token)).toMatchObject({ outcome: 'accepted', principal: { scopes: ['a'] } })
    as.revoke(token)
    expect(await outcome(server.verify(token))).toBe('inactive')
    expect(as.requests).toMatchObject({ introspection: 2, jwks: 1 })
  })

  it('are good after keys were rotated', async () => {
    const as = await startAuthorizationServer()
    const server = introspecting({ issuer: as.issuer, signedResponse: 'required' })
    const token = as.mintOpaque({ resource })
    expect(await outcome(server.verify(token))).toBe('accepted')
    await as.rotateKeys()
    expect(await outcome(server.verify(token))).toBe('accepted')
  })

  it('are never taken unless required', async () => {
    const as = await startAuthorizationServer()
    const host = await scriptedEndpoint(() => ({ type, text: 'e30.e30.e30' }))
    const server = introspecting({ issuer: as.issuer, endpoint: host.endpoint })
    expect(await server.verify('t')).toMatchObject({ reason: 'introspection: content type' })
  })

  it('are all that is taken when required', async () => {
    const host = await scriptedEndpoint(() => activeAnswer(host.issuer))
    const { issuer, endpoint } = host
    const server = introspecting({ issuer, endpoint, signedResponse: 'required' })
    expect(await server.verify('t')).toMatchObject({ reason: 'introspection: content type' })
    expect(host.seen[0]?.headers.accept).toBe(type)
  })

  it('with keys that cannot be read are undecided', async () => {
    const as = await startAuthorizationServer()
    as.fault('jwks', 'outage')
    const server = introspecting({ issuer: as.issuer, signedResponse: 'required' }, setClock())
    expect(await outcome(server.verify(as.mintOpaque({ resource })))).toBe('undecided')
  })

  it.each<[string, Signed]>([
    ['as they should be', {}],
    ['with a full media type', { header: { typ: 'application/token-introspection+jwt' } }],
    ['for the resource (RFC 9701 §5)', { claims: { aud: [resource] } }],
  ])('%s are taken', async (_, signed) => {
    expect(await outcome(await decided(signed))).toBe('accepted')
  })

  it.each<[string, Signed]>([
    ['of another type', { header: { typ: 'at+jwt' } }],
    ['of no type', { header: { typ: undefined } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['for another client', { claims: { aud: 'other-client' } }],
    ['for nobody', { claims: { aud: undefined } }],
    ['without a time', { claims: { iat: undefined } }],
    ['of long ago', { claims: { iat: now() - 120 } }],
    ['of tomorrow', { claims: { iat: now() + 86_400 } }],
    ['with nothing in it', { claims: { token_introspection: undefined } }],
    ['with the members outside', { claims: { token_introspection: undefined, active: true } }],
    ['with a text in it', { claims: { token_introspection: '{"active":true}' } }],
    ['with active as text', { claims: { token_introspection: { active: 'true' } } }],
    [
      'without a signature',
      {
        sign: async (payload) =>
          `${encoded({ alg: 'none', typ: 'token-introspection+jwt' })}.${encoded(payload)}.`,
      },
    ],
    [
      'signed with a key of the same name',
      {
        sign: async (payload, { kid }) => {
          const { privateKey } = await generateKeyPair('ES256')
          return new CompactSign(Buffer.from(payload))
            .setProtectedHeader({ alg: 'ES256', typ: 'token-introspection+jwt', kid })
            .sign(privateKey)
        },
      },
    ],
    [
      'changed after signing',
      {
        sign: async (payload, key) => {
          const [header, , signature] = (
            await signText(key, payload, { typ: 'token-introspection+jwt' })
          ).split('.')
          return `${header!}.${encoded(payload.replace('alice', 'admin'))}.${signature!}`
        },
      },
    ],
    [
      'with a duplicate member',
      {
        sign: async (payload, key) =>
          signText(key, payload.replace('"active":true', '"active":false,"active":true'), {
            typ: 'token-introspection+jwt',
          }),
      },
    ],
    ['encrypted', { sign: async () => 'e30.a.b.c.d' }],
  ])('%s are undecided', async (_, signed) => {
    expect(await decided(signed)).toMatchObject({
      outcome: 'undecided',
      reason: expect.stringMatching(/^introspection: /),
    })
  })
})

function encoded(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}
