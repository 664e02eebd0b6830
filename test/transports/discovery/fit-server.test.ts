import { generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { privateKey } from '../../../src/oauth/registration/private-key.js'
import { publicClientMetadata } from '../../../src/oauth/registration/public.js'
import type { IssuerQuirks } from '../../../src/oauth/registration/quirks.js'
import { secretBasic, secretPost } from '../../../src/oauth/registration/secret.js'
import { twoHosts, type TwoHosts } from './two-hosts.js'

let world: TwoHosts
beforeEach(async () => {
  world = await twoHosts()
})
afterEach(() => world.close())

describe('B43 safe endpoints', () => {
  const unsafe = [
    'http://login.example.com/x',
    'https://user@login.example.com/x',
    'https://login.example.com/x#y',
    'https://login.example.com/\n',
    ' https://login.example.com/x',
    'https:\\\\login.example.com',
    'https://10.0.0.1/x',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'ms-calculator:x',
    '/relative',
    '',
    `https://login.example.com/${'x'.repeat(9_000)}`,
  ]
  test.each(['authorization_endpoint', 'token_endpoint', 'revocation_endpoint'])(
    'G43 G46 F38 %s',
    async (name) => {
      for (const endpoint of unsafe) {
        world.say({ [name]: endpoint })
        world.cache.issuers.clear()
        expect(await world.code(), endpoint).toBe('ERR_DISCOVERY')
      }
    },
  )

  test('they may be on another host', async () => {
    world.say({ token_endpoint: 'https://oauth2.example.com/token' })
    expect(await world.code()).toBe('none')
  })

  test.each(['authorization_endpoint', 'token_endpoint'])('a missing %s is an error', async (name) => {
    world.say({ [name]: undefined })
    expect(await world.code()).toBe('ERR_DISCOVERY')
  })

  test('C2 a machine needs no authorization endpoint and no PKCE', async () => {
    world.say({
      authorization_endpoint: undefined,
      code_challenge_methods_supported: undefined,
      response_types_supported: undefined,
    })
    expect(await world.code({ needs: 'client_credentials' })).toBe('none')
  })
})

describe('B44 B45 B46 B47 B78 what the server has to offer', () => {
  test.each<[string, object, IssuerQuirks | undefined, string]>([
    ['F13 no word of PKCE', { code_challenge_methods_supported: undefined }, undefined, 'ERR_DISCOVERY'],
    [
      'F13 no word of PKCE, assumed',
      { code_challenge_methods_supported: undefined },
      { assumePkceS256: true },
      'none',
    ],
    ['G45 plain PKCE', { code_challenge_methods_supported: ['plain'] }, undefined, 'ERR_DISCOVERY'],
    [
      'G45 null for PKCE',
      { code_challenge_methods_supported: null },
      { assumePkceS256: true },
      'ERR_DISCOVERY',
    ],
    ['no response types', { response_types_supported: undefined }, undefined, 'ERR_DISCOVERY'],
    ['other response types', { response_types_supported: ['token'] }, undefined, 'ERR_DISCOVERY'],
    ['no word of grants', { grant_types_supported: undefined }, undefined, 'none'],
    ['no grants', { grant_types_supported: [] }, undefined, 'ERR_DISCOVERY'],
    ['no grants, assumed', { grant_types_supported: [] }, { assumeGrantType: true }, 'none'],
    [
      'no word of methods',
      { token_endpoint_auth_methods_supported: undefined },
      undefined,
      'ERR_REGISTRATION',
    ],
    [
      'no word of methods, assumed',
      { token_endpoint_auth_methods_supported: undefined },
      { assumeNoneAuth: true },
      'none',
    ],
    ['no methods', { token_endpoint_auth_methods_supported: [] }, undefined, 'ERR_REGISTRATION'],
    ['null for methods', { token_endpoint_auth_methods_supported: null }, undefined, 'ERR_DISCOVERY'],
    ['pushed requests only', { require_pushed_authorization_requests: true }, undefined, 'ERR_DISCOVERY'],
    ['signed requests only', { require_signed_request_object: true }, undefined, 'ERR_DISCOVERY'],
    ['a flag as text', { require_signed_request_object: 'false' }, undefined, 'ERR_DISCOVERY'],
  ])('%s', async (_name, members, quirks, expected) => {
    world.say(members)
    expect(await world.code({ registrations: world.client(quirks) })).toBe(expected)
  })

  const identity = () => ({ issuer: world.issuer, clientId: 'a', clientSecret: 's', allowLoopbackHttp: true })

  test('G44 a secret is never moved to another place', async () => {
    const needs = 'client_credentials'
    world.say({ token_endpoint_auth_methods_supported: undefined })
    expect(await world.code({ registrations: secretBasic(identity()), needs })).toBe('none')
    expect(await world.code({ registrations: secretPost(identity()), needs })).toBe('ERR_REGISTRATION')
    world.cache.issuers.clear()
    world.say({ token_endpoint_auth_methods_supported: ['none', 'client_secret_post'] })
    expect(await world.code({ registrations: secretBasic(identity()), needs })).toBe('ERR_REGISTRATION')
    expect(await world.code({ registrations: secretPost(identity()), needs })).toBe('none')
  })

  test('C3 a grant of machines has to be announced', async () => {
    world.say({ grant_types_supported: undefined })
    const needs = 'client_credentials'
    expect(await world.code({ registrations: secretBasic(identity()), needs })).toBe('ERR_DISCOVERY')
    const assumed = secretBasic({ ...identity(), quirks: { assumeGrantType: true } })
    expect(await world.code({ registrations: assumed, needs })).toBe('none')
  })

  test('B47 an assertion is signed with an algorithm the server takes', async () => {
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const registrations = privateKey({ ...identity(), key, kid: '1', alg: 'ES256' })
    for (const [algorithms, expected] of [
      [undefined, 'ERR_REGISTRATION'],
      [['RS256'], 'ERR_REGISTRATION'],
      [['RS256', 'ES256'], 'none'],
    ] as const) {
      world.cache.issuers.clear()
      world.say({
        token_endpoint_auth_methods_supported: ['private_key_jwt'],
        token_endpoint_auth_signing_alg_values_supported: algorithms,
      })
      expect(await world.code({ registrations, needs: 'client_credentials' })).toBe(expected)
    }
  })

  test('B55 a client metadata document needs a server that reads it', async () => {
    const clientId = 'https://app.example.com/oauth/client.json'
    const registrations = publicClientMetadata({ issuer: world.issuer, clientId, allowLoopbackHttp: true })
    expect(await world.code({ registrations })).toBe('ERR_REGISTRATION')
    world.cache.issuers.clear()
    world.say({ client_id_metadata_document_supported: true })
    expect(await world.code({ registrations })).toBe('none')
  })

  test('G64 only known members are kept', async () => {
    world.say({
      toString: 'x',
      hasOwnProperty: 1,
      registration_endpoint: `${world.issuer}/register`,
      constructor: { a: 1 },
    })
    const found = await world.discover()
    expect(found).toMatchObject({ server: world.issuerDocument })
    expect(Object.keys(found === 'open' ? {} : found.server).sort()).toEqual(
      Object.keys(world.issuerDocument).sort(),
    )
  })
})

describe('B48 metadata of the operator', () => {
  test('is used instead of asking, and checked like any other', async () => {
    const metadataOverride = {
      authorization_endpoint: `${world.issuer}/login`,
      token_endpoint: `${world.issuer}/login/token`,
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
    }
    await expect(
      world.discover({ registrations: world.client({ metadataOverride }) }),
    ).resolves.toMatchObject({
      server: { ...metadataOverride, issuer: world.issuer },
    })
    expect(world.login.asked).toEqual([])
    const incomplete = { ...metadataOverride, token_endpoint: '' }
    expect(await world.code({ registrations: world.client({ metadataOverride: incomplete }) })).toBe(
      'ERR_DISCOVERY',
    )
  })
})
