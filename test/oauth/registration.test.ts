import { generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'
import { jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { privateKey } from '../../src/oauth/registration/private-key.js'
import type { Registration } from '../../src/oauth/registration/registration.js'
import { secretBasic, secretPost } from '../../src/oauth/registration/secret.js'

const issuer = 'https://login.example.com/t'
const server = { issuer, token_endpoint: 'https://login.example.com/t/token' }

async function authenticated({ authenticate, clientId }: Registration) {
  const body = new URLSearchParams()
  const headers = new Headers()
  await authenticate(server, { client_id: clientId }, body, headers)
  return { body, authorization: headers.get('authorization') }
}

function decoded(authorization: string | null): string {
  return Buffer.from(authorization!.slice('Basic '.length), 'base64').toString()
}

describe('a secret', () => {
  test.each([
    ['conformance-test-client', 'a_b.c~d!', 'conformance-test-client:a_b.c~d!'],
    ['a:b', 'p q+%', 'a%3Ab:p+q%2B%25'],
  ])(
    'B63 A82 F41 Basic encodes %j and %j no more than a form needs',
    async (clientId, clientSecret, text) => {
      const { authorization, body } = await authenticated(secretBasic({ issuer, clientId, clientSecret }))
      expect(decoded(authorization)).toBe(text)
      expect([...body]).toEqual([])
    },
  )

  test('B63 raw credentials are sent as they are', async () => {
    const client = { issuer, clientId: 'a b', clientSecret: 'x+y', basicCredentialEncoding: 'raw' } as const
    expect(decoded((await authenticated(secretBasic(client))).authorization)).toBe('a b:x+y')
  })

  test('B62 in the body, there is no header', async () => {
    const { authorization, body } = await authenticated(
      secretPost({ issuer, clientId: 'a', clientSecret: 's' }),
    )
    expect(authorization).toBeNull()
    expect(Object.fromEntries(body)).toEqual({ client_id: 'a', client_secret: 's' })
  })

  test('B61 is never shown', () => {
    for (const made of [secretBasic, secretPost]) {
      const registration = made({ issuer, clientId: 'a', clientSecret: 'canary-secret' })
      expect(
        inspect(registration, { depth: 9, showHidden: true }) + JSON.stringify(registration),
      ).not.toContain('canary')
    }
  })

  test.each([
    [{ clientSecret: '' }, 'clientSecret'],
    [{ clientSecret: 'a\nb' }, 'clientSecret'],
    [{ clientId: '' }, 'clientId'],
    [{ issuer: 'http://login.example.com' }, 'issuer'],
    [{ issuer: 'https://login.example.com?x' }, 'issuer'],
  ])('%j is refused at once, without the value', (wrong, name) => {
    const client = { issuer, clientId: 'a', clientSecret: 's', ...wrong }
    expect(() => secretBasic(client)).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
    expect(() => secretPost(client)).toThrow(name)
  })
})

describe('an assertion', () => {
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const client = { issuer, clientId: 'a', key, kid: 'k1', alg: 'ES256' } as const

  test('B64 is for the issuer, short-lived, new each time and names its key', async () => {
    const made = [await authenticated(privateKey(client)), await authenticated(privateKey(client))]
    const verified = await Promise.all(
      made.map(({ body }) => jwtVerify(body.get('client_assertion')!, publicKey, { audience: issuer })),
    )
    for (const { payload, protectedHeader } of verified) {
      expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'k1' })
      expect(payload).toMatchObject({ iss: 'a', sub: 'a', aud: issuer })
      expect(payload.exp! - payload.iat!).toBe(60)
    }
    expect(verified[0]!.payload.jti).not.toBe(verified[1]!.payload.jti)
    expect(Object.fromEntries(made[0]!.body)).toMatchObject({
      client_id: 'a',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
  })

  test('B64 F42 is for the token endpoint where that is wanted', async () => {
    const { body } = await authenticated(privateKey({ ...client, assertionAudience: 'token_endpoint' }))
    const { payload } = await jwtVerify(body.get('client_assertion')!, publicKey)
    expect(payload.aud).toBe(server.token_endpoint)
  })

  test('B60 may be signed elsewhere', async () => {
    const { body } = await authenticated(
      privateKey({ ...client, key: async (claims, header) => JSON.stringify([claims.aud, header.kid]) }),
    )
    expect(body.get('client_assertion')).toBe(JSON.stringify([issuer, 'k1']))
  })

  test('an algorithm that is not offered is refused', () => {
    expect(() => privateKey({ ...client, alg: 'HS256' as 'ES256' })).toThrow('alg')
  })
})
