import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore, type AuthorizationStore } from 'castellan/store'
import {
  authorizationCodeTransport,
  clientMetadataDocument,
  publicClientMetadata,
  signedClientMetadata,
  type ClientDescription,
  type Registration,
  type WebConsent,
  type WebConsentOptions,
} from 'castellan/transports'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { whoami } from '../../fastify/guarded.js'
import { grantKey } from '../../../src/transports/grant/grant-binding.js'
import { readGrant } from '../../../src/transports/grant/grant-record.js'
import {
  documentUrl,
  keyOfClient,
  metadataWorld,
  type KeyOfClient,
  type MetadataWorld,
} from './metadata-client.js'
import { ask, consentOf, redirectUri, write } from './web-app.js'

const description: ClientDescription = { clientId: documentUrl, name: 'Notes', redirectUris: [redirectUri] }
let own: KeyOfClient
let world: MetadataWorld
let store: AuthorizationStore
const made: WebConsent[] = []

beforeAll(async () => {
  own = await keyOfClient()
})
beforeEach(() => {
  store = memoryAuthorizationStore()
})
afterEach(async () => {
  await Promise.all(made.splice(0).map((consent) => consent.close()))
  await world.stop()
})

const signed = (): ClientDescription => ({ ...description, keys: { keys: [own.publicJwk] } })

function publicly(): Registration {
  return publicClientMetadata({
    issuer: world.provider.issuer,
    clientId: documentUrl,
    allowLoopbackHttp: true,
  })
}

function withKey({ privateKey: key } = own): Registration {
  const issuer = world.provider.issuer
  const signing = { key, kid: 'k1', alg: 'ES256' } as const
  return signedClientMetadata({ issuer, clientId: documentUrl, ...signing, allowLoopbackHttp: true })
}

function instance(registration: Registration, options: Partial<WebConsentOptions> = {}): WebConsent {
  const consent = authorizationCodeTransport.forWeb({
    endpoint: world.server.endpoint,
    registration,
    redirectUri,
    store: () => store,
    allowLoopbackHttp: true,
    ...options,
  })
  made.push(consent)
  return consent
}

/** Signs alice in, asked by a call; gives the tokens the server has seen by then. */
async function signIn(consent: WebConsent, asked: () => Promise<unknown>): Promise<void> {
  const { url } = await consentOf(asked())
  await consent.finish('alice', await world.provider.browse(url, redirectUri))
}

const tokens = () => [...new Set(world.server.seen.flatMap(({ token }) => token ?? []))]
const sent = (grantType: string) =>
  world.provider.asked.filter(({ grant_type }) => grant_type === grantType).map((each) => ({ ...each }))

interface Run {
  readonly name: string
  readonly document: () => ClientDescription
  readonly registration: () => Registration
  readonly opaque: boolean
  readonly dpop?: true
}

describe('oidc-provider reads the metadata document of a client it was never told of', () => {
  test.each<Run>([
    { name: 'B62 public, RFC 9068', document: () => description, registration: publicly, opaque: false },
    { name: 'A80 public, introspected', document: () => description, registration: publicly, opaque: true },
    { name: 'B64 with a key, RFC 9068', document: signed, registration: withKey, opaque: false },
    { name: 'A80 B64 with a key, introspected', document: signed, registration: withKey, opaque: true },
    { name: 'A61 B64 with a key, bound', document: signed, registration: withKey, opaque: false, dpop: true },
  ])(
    'B55 B58 B75 B115 consent, step-up, rotation and sign-out: $name',
    async ({ document, registration, opaque, dpop }) => {
      world = await metadataWorld(document(), { opaque, dpop: dpop === true })
      const { provider, server, fetched } = world
      const bound = { ...(dpop && { dpop }) }
      const consent = instance(registration(), bound)
      await signIn(consent, () => ask(consent))
      expect(await ask(consent)).toEqual({ subject: 'alice', scopes: ['mcp'] })
      expect(new Set(fetched)).toEqual(new Set([documentUrl]))
      expect(provider.prompts).toEqual(['login', 'consent'])

      await signIn(consent, () => write(consent))
      expect(await write(consent)).toBe('written')
      const verifiers = sent('authorization_code').map(({ code_verifier }) => code_verifier)
      expect(new Set(verifiers).size).toBe(2)

      for (let times = 0; times < 2; times += 1) {
        for (const token of tokens()) server.refused.add(token)
        expect(await write(instance(registration(), bound))).toBe('written')
      }
      const refreshes = sent('refresh_token')
      // Asked twice each where the provider gives a nonce first.
      expect(refreshes).toHaveLength(dpop === undefined ? 2 : 4)
      expect(new Set(refreshes.map(({ refresh_token }) => refresh_token)).size).toBe(2)
      for (const each of provider.asked)
        expect(each).toMatchObject({ client_id: documentUrl, resource: server.endpoint })
      checkAssertions(document() === description ? 'none' : 'each')
      if (!opaque) for (const token of tokens()) expect('cnf' in decodeJwt(token)).toBe(dpop === true)

      const last = tokens().at(-1)!
      if (opaque) expect(await statusWith(last)).toBe(415)
      await consent.forget('alice')
      if (opaque) expect(await statusWith(last)).toBe(401)
      await consentOf(ask(instance(registration(), bound)))
      expect(sent('refresh_token')).toHaveLength(refreshes.length)
    },
  )

  test('B105 G59 a refresh token that was stolen and is used again ends the grant, and the user is asked anew', async () => {
    world = await metadataWorld(description)
    const consent = instance(publicly())
    await signIn(consent, () => ask(consent))
    const refused = () => {
      for (const token of tokens()) world.server.refused.add(token)
    }
    await ask(consent)
    refused()
    await ask(consent)
    const [first] = sent('refresh_token')
    const stolen = first?.['refresh_token'] as string
    const form = { grant_type: 'refresh_token', refresh_token: stolen, client_id: documentUrl }
    const request = { method: 'POST', body: new URLSearchParams(form) }
    const replayed = await fetch(`${world.provider.issuer}/token`, request)
    expect(await replayed.json()).toMatchObject({ error: 'invalid_grant' })
    refused()
    const { url } = await consentOf(ask(consent))
    await consent.finish('alice', await world.provider.browse(url, redirectUri))
    expect(await ask(consent)).toEqual({ subject: 'alice', scopes: ['mcp'] })
  })

  test('B55 B58 B95 signs in the user of a program on this machine, at any port', async () => {
    const redirect = 'http://127.0.0.1/callback'
    world = await metadataWorld({ ...description, redirectUris: [redirect] })
    const transport = authorizationCodeTransport.forLocal({
      endpoint: world.server.endpoint,
      registration: publicly(),
      store,
      openBrowser: async ({ href }) => {
        const { searchParams } = new URL(href)
        const page = await fetch(await world.provider.browse(href, searchParams.get('redirect_uri')!))
        expect(page.status).toBe(200)
      },
      allowLoopbackHttp: true,
    })
    await using client = createClient(
      httpCaller({ clientInfo: { name: 'cli', version: '1.0.0' }, transport }),
    )
    expect(await client.call(whoami.definition, {})).toEqual({ subject: 'alice', scopes: ['mcp'] })
    expect(world.fetched).toContain(documentUrl)
    expect(clientMetadataDocument({ ...description, redirectUris: [redirect] })).toMatchObject({
      application_type: 'native',
    })
  })
})

describe('nobody is signed in and nothing is kept', () => {
  const elsewhere = 'https://other.example.com/oauth/client.json'

  test.each<[string, ClientDescription]>([
    ['names another client id', { ...description, clientId: elsewhere }],
    ['lacks the redirect URI', { ...description, redirectUris: ['https://app.example.com/oauth/other'] }],
    ['stands at another path', { ...description, clientId: 'https://app.example.com/oauth/elsewhere.json' }],
  ])('B57 B58 where the document %s: the provider sends its user nowhere', async (_, document) => {
    world = await metadataWorld(document)
    const consent = instance(publicly())
    const { url } = await consentOf(ask(consent))
    await expect(world.provider.browse(url, redirectUri)).rejects.toThrow(/\/auth was answered with 400$/)
    const guessed = `${redirectUri}?state=${new URL(url).searchParams.get('state')}&error=invalid_client`
    await expect(consent.finish('alice', guessed)).rejects.toMatchObject({ code: 'ERR_CONSENT' })
    await expectNoGrant(publicly())
    expect(world.provider.asked).toEqual([])
  })

  test.each<[string, () => Promise<ClientDescription>]>([
    ['names another client id by now', async () => ({ ...signed(), clientId: elsewhere })],
    ['tells of a public client by now', async () => description],
    [
      'holds another key by now',
      async () => ({ ...description, keys: { keys: [(await keyOfClient()).publicJwk] } }),
    ],
  ])('B58 B64 where the document %s: the token endpoint refuses, and it is told', async (_, changed) => {
    world = await metadataWorld(signed())
    const consent = instance(withKey())
    const { url } = await consentOf(ask(consent))
    const callback = await world.provider.browse(url, redirectUri)
    await world.serve(await changed())
    const refused = consent.finish('alice', callback)
    await expect(refused).rejects.toMatchObject({ code: 'ERR_TOKEN_ENDPOINT' })
    await expect(refused).rejects.toThrow(/^The token endpoint at 127\.0\.0\.1:\d+ refused: invalid_client/)
    await expectNoGrant(withKey())
    await expect(consent.finish('alice', callback)).rejects.toMatchObject({ reason: 'mismatch' })
  })

  test('B58 B62 where the provider reads no documents: no user is sent to it', async () => {
    world = await metadataWorld(description, { reads: false })
    const asked = ask(instance(publicly()))
    await expect(asked).rejects.toMatchObject({ code: 'ERR_REGISTRATION' })
    await expect(asked).rejects.toThrow('does not read client metadata documents')
    expect(world.fetched).toEqual([])
  })
})

async function statusWith(token: string): Promise<number> {
  world.server.refused.clear()
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(world.server.endpoint, { method: 'POST', headers })).status
}

/** Each request of a client with a key carries an assertion of its own, for this issuer; a public client has none. */
function checkAssertions(when: 'none' | 'each'): void {
  const { issuer, asked } = world.provider
  const assertions = asked.flatMap(({ client_assertion }) => (client_assertion as string | undefined) ?? [])
  expect(assertions).toHaveLength(when === 'each' ? asked.length : 0)
  expect(new Set(assertions.map((each) => decodeJwt(each).jti)).size).toBe(assertions.length)
  for (const each of assertions) {
    expect(decodeJwt(each)).toMatchObject({ iss: documentUrl, sub: documentUrl, aud: issuer })
    expect(decodeProtectedHeader(each)).toMatchObject({ alg: 'ES256', kid: 'k1' })
  }
}

/** Neither is there a grant in the store, nor does a new instance find one. */
async function expectNoGrant(registration: Registration): Promise<void> {
  const { issuer, clientId, method } = registration
  const endpoint = world.server.endpoint
  const binding = {
    kind: 'authorization_code',
    issuer,
    clientId,
    method,
    identity: ['alice'],
    endpoint,
  } as const
  const key = grantKey(binding)
  const bytes = await store.withCredentials([key], (records) => records.get(key)!.load())
  expect(bytes && readGrant(bytes, binding).state?.type).not.toBe('ready')
  await consentOf(ask(instance(registration)))
}
