import { generateKeyPairSync } from 'node:crypto'
import { exportJWK } from 'jose'
import { describe, expect, test } from 'vitest'
import {
  clientMetadataDocument,
  type ClientDescription,
} from '../../src/oauth/registration/client-metadata-document.js'
import { privateKey, signedClientMetadata } from '../../src/oauth/registration/private-key.js'
import { publicClient, publicClientMetadata } from '../../src/oauth/registration/public.js'
import { relaxations, type IssuerQuirks } from '../../src/oauth/registration/quirks.js'
import { redirectUri } from '../../src/oauth/registration/redirect-uri.js'
import { auth0 } from '../../src/transports/presets/auth0.js'
import { cognito } from '../../src/transports/presets/cognito.js'
import { entra } from '../../src/transports/presets/entra.js'
import { github } from '../../src/transports/presets/github.js'
import { google } from '../../src/transports/presets/google.js'

const issuer = 'https://login.example.com/t'
const documentUrl = 'https://app.example.com/oauth/client.json'
const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const optionError = (text: string) =>
  expect.objectContaining({ code: 'ERR_OPTION', message: expect.stringContaining(text) })

describe('public registrations', () => {
  test('B62 send their client id and nothing else', async () => {
    const registration = publicClient({ issuer, clientId: 'notes' })
    const body = new URLSearchParams()
    const headers = new Headers()
    await registration.authenticate({ issuer }, { client_id: 'notes' }, body, headers)
    expect([...body]).toEqual([['client_id', 'notes']])
    expect([...headers]).toEqual([])
    expect(registration).toMatchObject({
      issuer,
      clientId: 'notes',
      method: 'none',
      isMetadataDocument: false,
      quirks: {},
    })
  })

  test('B57 a metadata document is its URL, byte for byte', () => {
    for (const clientId of [documentUrl, `${documentUrl}?v=1`, 'https://app.example.com:8443/a/']) {
      expect(publicClientMetadata({ issuer, clientId })).toMatchObject({
        clientId,
        method: 'none',
        isMetadataDocument: true,
      })
      expect(signedClientMetadata({ issuer, clientId, key, kid: '1', alg: 'ES256' })).toMatchObject({
        clientId,
        method: 'private_key_jwt',
        assertionAlg: 'ES256',
        isMetadataDocument: true,
      })
    }
    expect(
      privateKey({ issuer, clientId: documentUrl, key, kid: '1', alg: 'ES256' }).isMetadataDocument,
    ).toBe(false)
  })

  test.each([
    'http://app.example.com/client.json',
    'http://127.0.0.1/client.json',
    'https://app.example.com',
    'https://app.example.com/',
    'https://user@app.example.com/client.json',
    'https://:p@app.example.com/client.json',
    'https://app.example.com/client.json#x',
    'https://app.example.com/client.json#',
    'https://app.example.com/a/../client.json',
    'https://app.example.com/a/./client.json',
    'https://app.example.com/%2e%2e/client.json',
    'https://APP.example.com/client.json',
    'https://app.example.com:443/client.json',
    'notes',
    '',
  ])('B57 G61 %j is no URL of a metadata document', (clientId) => {
    expect(() => publicClientMetadata({ issuer, clientId })).toThrow(optionError('clientId'))
    expect(() => signedClientMetadata({ issuer, clientId, key, kid: '1', alg: 'ES256' })).toThrow(
      optionError('clientId'),
    )
    expect(() =>
      clientMetadataDocument({ clientId, name: 'n', redirectUris: ['https://a.example/cb'] }),
    ).toThrow(optionError('clientId'))
  })
})

describe('B58 the client metadata document', () => {
  const client: ClientDescription = {
    clientId: documentUrl,
    name: 'Notes',
    redirectUris: ['https://app.example.com/cb'],
  }

  test('of a public web client', () => {
    expect(clientMetadataDocument(client)).toEqual({
      client_id: documentUrl,
      client_name: 'Notes',
      application_type: 'web',
      redirect_uris: ['https://app.example.com/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    })
  })

  test('of a native client with everything', () => {
    const more = {
      scopes: ['a', 'b'],
      homepage: 'https://app.example.com',
      logo: 'https://app.example.com/logo.png',
    }
    expect(
      clientMetadataDocument({
        ...client,
        ...more,
        redirectUris: ['http://127.0.0.1/cb'],
        keys: `${documentUrl}/keys`,
      }),
    ).toMatchObject({
      application_type: 'native',
      scope: 'a b',
      client_uri: more.homepage,
      logo_uri: more.logo,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: `${documentUrl}/keys`,
    })
  })

  test('holds public keys, never private ones', async () => {
    const publicJwk = { ...(await exportJWK(publicKey)), kid: '1' }
    expect(clientMetadataDocument({ ...client, keys: { keys: [publicJwk] } })).toMatchObject({
      jwks: { keys: [publicJwk] },
    })
    for (const secret of [await exportJWK(key), { kty: 'oct', k: 'AAAA' }])
      expect(() => clientMetadataDocument({ ...client, keys: { keys: [publicJwk, secret] } })).toThrow(
        optionError('keys'),
      )
  })

  test.each<[string, Partial<ClientDescription>]>([
    ['name', { name: '' }],
    ['redirectUris', { redirectUris: [] }],
    ['redirectUris', { redirectUris: ['https://*.example.com/cb#'] }],
    ['scopes', { scopes: ['a b'] }],
    ['homepage', { homepage: 'javascript:x' }],
    ['logo', { logo: 'http://a.example/' }],
    ['keys', { keys: 'http://a.example/' }],
  ])('%s is checked: %j', (name, changes) => {
    expect(() => clientMetadataDocument({ ...client, ...changes })).toThrow(optionError(name))
  })
})

describe('B59 redirect URIs', () => {
  test.each([
    'https://app.example.com/cb',
    'https://app.example.com/cb?tenant=a',
    'http://127.0.0.1:3000/cb',
    'http://[::1]:3000/cb',
    'http://localhost:3000/cb',
  ])('F40 %s is kept byte for byte', (uri) => {
    expect(redirectUri('redirectUri', uri)).toBe(uri)
  })

  test.each([
    'http://app.example.com/cb',
    'http://127.0.0.1.evil.example/cb',
    'https://app.example.com',
    'https://app.example.com/a/../cb',
    'https://user@app.example.com/cb',
    'https://app.example.com/cb#',
    'app:/cb',
    'javascript:alert(1)',
    '',
    ...['code', 'state', 'iss', 'error', 'response'].map((name) => `https://app.example.com/cb?${name}=x`),
  ])('G50 %j is refused', (uri) => {
    expect(() => redirectUri('redirectUri', uri)).toThrow(optionError('redirectUri'))
  })
})

describe('quirks', () => {
  test.each<IssuerQuirks>([
    { issuerAliases: [''] },
    { scopeOverride: ['a b'] },
    { scopeCeiling: [1 as never] },
    { advanceOn: [500 as never] },
    { defaultExpiresInSeconds: 0 },
    { defaultExpiresInSeconds: 1.5 },
    { resourceParameter: { value: '' } },
    { extraAuthorizationParams: { a: 1 as never } },
  ])('%j is refused', (quirks) => {
    expect(() => publicClient({ issuer, clientId: 'a', quirks })).toThrow(optionError('quirks'))
  })

  test('what is relaxed is told in words, and nothing else is', () => {
    expect(relaxations({})).toEqual([])
    expect(relaxations({ assumePkceS256: false, resourceParameter: 'send', scopeCeiling: ['a'] })).toEqual([])
    expect(relaxations({ assumePkceS256: true, resourceParameter: 'omit' })).toEqual([
      expect.stringMatching(/^assumePkceS256: .*MUST/),
      expect.stringMatching(/^resourceParameter: .*MUST/),
    ])
  })

  test.each<[string, IssuerQuirks, readonly string[]]>([
    ['entra', entra({ scopes: ['api://notes/.default'] }), ['assumePkceS256', 'assumeGrantType']],
    [
      'entra without resource',
      entra({ scopes: ['a'], resourceParameter: 'omit' }),
      ['assumePkceS256', 'assumeGrantType', 'resourceParameter'],
    ],
    ['auth0', auth0({ issuer: 'https://t.auth0.com/', audience: 'https://api' }), ['issuerAliases']],
    ['cognito', cognito(), ['assumePkceS256']],
    ['google', google(), ['issuerAliases']],
    ['github', github(), ['metadataOverride', 'acceptFormEncodedTokenResponse']],
  ])('the preset of %s only sets quirks, and says what they relax', (_name, quirks, relaxed) => {
    expect(publicClient({ issuer, clientId: 'a', quirks }).quirks).toEqual(quirks)
    expect(relaxations(quirks).map((sentence) => sentence.split(':')[0])).toEqual(relaxed)
  })

  test('F2 the alias of Auth0 is its issuer without the slash', () => {
    expect(auth0({ issuer: 'https://t.auth0.com/' })).toEqual({ issuerAliases: ['https://t.auth0.com'] })
  })
})
