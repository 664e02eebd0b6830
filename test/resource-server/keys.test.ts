import { CompactSign, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome, resource, resourceServerAt, setClock, startAuthorizationServer } from './fixture.js'
import type { SigningAlgorithm } from '../../src/resource-server/index.js'
import { loopbackServer, type LoopbackServer } from '../../src/testing/loopback-server.js'

const issuer = 'https://login.example.com'

async function sign(alg: string, key: CryptoKey, header: Record<string, unknown> = {}): Promise<string> {
  return new SignJWT({ iss: issuer, sub: 'alice', aud: resource, jti: 'x', client_id: 'c' })
    .setProtectedHeader({ alg, typ: 'at+jwt', ...header })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(key)
}

async function pair(alg: string, members: Partial<JWK> = {}): Promise<{ key: CryptoKey; jwk: JWK }> {
  const { publicKey, privateKey } = await generateKeyPair(alg)
  return { key: privateKey, jwk: { ...(await exportJWK(publicKey)), ...members } }
}

let published: unknown
let server: LoopbackServer
beforeAll(async () => {
  server = await loopbackServer((_, response) => void response.end(JSON.stringify(published)))
})
afterAll(() => server.close())

function publishing(keys: unknown[]) {
  published = { keys }
  return resourceServerAt(setClock(), { issuer, jwksUri: `${server.origin}/jwks` })
}

describe('A51 algorithms', () => {
  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('takes %s unasked', async (alg) => {
    const { key, jwk } = await pair(alg)
    const fixed = resourceServerAt(setClock(), { issuer, keys: [jwk] })
    expect(await outcome(fixed.verify(await sign(alg, key)))).toBe('accepted')
  })

  it.each(['RS384', 'PS512', 'ES384', 'ES512', 'Ed25519'] as SigningAlgorithm[])(
    'takes %s only if listed',
    async (alg) => {
      const { key, jwk } = await pair(alg)
      const token = await sign(alg, key)
      expect(await outcome(resourceServerAt(setClock(), { issuer, keys: [jwk] }).verify(token))).toBe(
        'algorithm',
      )
      const listed = resourceServerAt(setClock(), { issuer, keys: [jwk], algorithms: [alg] })
      expect(await outcome(listed.verify(token))).toBe('accepted')
    },
  )

  it('B085 G2 a symmetric or private key in a published set never verifies anything', async () => {
    const { key, jwk } = await pair('ES256')
    const token = await sign('ES256', key)
    expect(await outcome(publishing([{ kty: 'oct', k: 'c2VjcmV0', alg: 'ES256' }]).verify(token))).toBe('key')
    const secret = new TextEncoder().encode(JSON.stringify(jwk))
    const forged = await new SignJWT({ iss: issuer, aud: resource })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .sign(secret)
    expect(await outcome(publishing([jwk]).verify(forged))).toBe('algorithm')
  })

  it('A62 an RSA key of 1024 bits never verifies', async () => {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(
      {
        name: 'RSASSA-PKCS1-v1_5',
        modulusLength: 1024,
        publicExponent: new Uint8Array([1, 0, 1]),
        hash: 'SHA-256',
      },
      true,
      ['sign', 'verify'],
    )
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, sub: 'a', aud: resource, jti: 'x', client_id: 'c', iat: now, exp: now + 60 }
    const input = `${encode({ alg: 'RS256', typ: 'at+jwt' })}.${encode(claims)}`
    const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, Buffer.from(input))
    const jwk = await crypto.subtle.exportKey('jwk', publicKey)
    const token = `${input}.${Buffer.from(signature).toString('base64url')}`
    expect(await outcome(publishing([{ kty: jwk.kty, n: jwk.n, e: jwk.e }]).verify(token))).toBe('signature')
  })

  it('A62 an EC key on another curve is not for the algorithm', async () => {
    const { key } = await pair('ES256')
    const { jwk } = await pair('ES384')
    expect(await outcome(publishing([jwk]).verify(await sign('ES256', key)))).toBe('key')
  })
})

describe('selection', () => {
  it('A64 tries keys that share a name, up to four', async () => {
    const right = await pair('ES256', { kid: 'k' })
    const wrong = await Promise.all([1, 2, 3, 4].map(() => pair('ES256', { kid: 'k' })))
    const token = await sign('ES256', right.key, { kid: 'k' })
    const keys = wrong.map(({ jwk }) => jwk)
    expect(await outcome(publishing([...keys.slice(0, 3), right.jwk]).verify(token))).toBe('accepted')
    expect(await outcome(publishing([...keys, right.jwk]).verify(token))).toBe('signature')
  })

  it('A65 finds the key of a token without a key name', async () => {
    const [first, second] = await Promise.all([pair('ES256', { kid: '1' }), pair('ES256', { kid: '2' })])
    const keys = publishing([first.jwk, second.jwk])
    expect(await outcome(keys.verify(await sign('ES256', second.key)))).toBe('accepted')
  })

  it('A66 leaves out keys for encryption and for other operations', async () => {
    const { key, jwk } = await pair('ES256')
    const token = await sign('ES256', key)
    expect(await outcome(publishing([{ ...jwk, use: 'enc' }]).verify(token))).toBe('key')
    expect(await outcome(publishing([{ ...jwk, key_ops: ['sign'] }]).verify(token))).toBe('key')
    expect(await outcome(publishing([{ ...jwk, alg: 'ES384' }]).verify(token))).toBe('key')
    expect(await outcome(publishing([{ ...jwk, use: 'sig', key_ops: ['verify'] }]).verify(token))).toBe(
      'accepted',
    )
  })

  it('A76 broken and unknown keys do not disturb the others; the broken one itself is undecided', async () => {
    const { key, jwk } = await pair('ES256', { kid: 'good' })
    const broken = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: 'broken' }
    const set = [null, 7, [], {}, { kty: 'NEW', kid: 'new' }, broken, jwk]
    expect(await outcome(publishing(set).verify(await sign('ES256', key, { kid: 'good' })))).toBe('accepted')
    expect(await outcome(publishing(set).verify(await sign('ES256', key)))).toBe('accepted')
    expect(await outcome(publishing(set).verify(await sign('ES256', key, { kid: 'broken' })))).toBe(
      'undecided',
    )
    expect(await outcome(publishing(set).verify(await sign('ES256', key, { kid: 'new' })))).toBe('key')
  })

  it('A74 an empty set is an answer: nothing is signed by it', async () => {
    const { key } = await pair('ES256')
    expect(await outcome(publishing([]).verify(await sign('ES256', key)))).toBe('key')
  })

  it.each(['__proto__', 'constructor', '../../etc/passwd', "' OR 1=1", '\u0000', ''])(
    'G4 survives the key name %j',
    async (kid) => {
      const { key, jwk } = await pair('ES256', { kid: 'k' })
      expect(await outcome(publishing([jwk]).verify(await sign('ES256', key, { kid })))).toBe('key')
    },
  )

  it('A67 refuses a key name that is no text or too long', async () => {
    const { key, jwk } = await pair('ES256', { kid: 'k'.repeat(256) })
    const keys = publishing([jwk])
    expect(await outcome(keys.verify(await sign('ES256', key, { kid: 'k'.repeat(256) })))).toBe('accepted')
    for (const kid of ['k'.repeat(257), 7, null, ['k']]) {
      expect(await outcome(keys.verify(await sign('ES256', key, { kid })))).toBe('malformed')
    }
  })

  it('G3 never follows keys named in the token', async () => {
    const as = await startAuthorizationServer()
    let asked = 0
    const canary = await loopbackServer((_, response) => {
      asked += 1
      response.end('{"keys":[]}')
    })
    const other = await pair('ES256', { kid: 'evil' })
    const header = { jwk: other.jwk, jku: canary.origin, x5u: canary.origin, kid: 'evil' }
    const token = await sign('ES256', other.key, header)
    const own = resourceServerAt(setClock(), { issuer, jwksUri: as.jwksUri })
    expect(await outcome(own.verify(token))).toBe('key')
    expect(asked).toBe(0)
    await canary.close()
  })
})

describe('A67 encoding', () => {
  it.each([
    ['bytes that are not UTF-8', [0xff]],
    ['an overlong encoding', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('refuses claims with %s', async (_, bytes) => {
    const { key, jwk } = await pair('ES256')
    const signed = (inner: Buffer) =>
      new CompactSign(Buffer.concat([Buffer.from(`${claims.slice(0, -1)},"x":"`), inner, Buffer.from('"}')]))
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
        .sign(key)
    const keys = publishing([jwk])
    expect(await outcome(keys.verify(await signed(Buffer.from('é'))))).toBe('accepted')
    expect(await outcome(keys.verify(await signed(Buffer.from(bytes))))).toBe('malformed')
  })

  it('refuses claims with a byte order mark', async () => {
    const { key, jwk } = await pair('ES256')
    const token = await new CompactSign(Buffer.from(`\ufeff${claims}`))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
      .sign(key)
    expect(await outcome(publishing([jwk]).verify(token))).toBe('malformed')
  })

  const now = Math.floor(Date.now() / 1000)
  const base = { iss: issuer, sub: 'a', aud: resource, jti: 'x', client_id: 'c', iat: now, exp: now + 300 }
  const claims = JSON.stringify(base)
})

describe('fixed keys', () => {
  it('are copied when the server is built', async () => {
    const [own, other] = await Promise.all([pair('ES256'), pair('ES256')])
    const given = { ...own.jwk }
    const fixed = resourceServerAt(setClock(), { issuer, keys: [given] })
    Object.assign(given, other.jwk)
    expect(await outcome(fixed.verify(await sign('ES256', own.key)))).toBe('accepted')
    expect(await outcome(fixed.verify(await sign('ES256', other.key)))).toBe('signature')
  })
})
