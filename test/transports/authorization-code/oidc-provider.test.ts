import { memoryAuthorizationStore, type AuthorizationStore } from 'castellan/store'
import { authorizationCodeTransport, privateKey, publicClient, type Registration } from 'castellan/transports'
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { protectedServer, type ProtectedServer } from '../protected-server.js'
import { consentingProvider, type ConsentingProvider } from './consenting-provider.js'
import { ask, consentOf, redirectUri, write } from './web-app.js'

let provider: ConsentingProvider
let server: ProtectedServer
let key: CryptoKey

beforeAll(async () => {
  const own = await generateKeyPair('ES256', { extractable: true })
  key = own.privateKey
  const jwks = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] }
  const redirect_uris = [redirectUri]
  provider = await consentingProvider([
    { client_id: 'web', token_endpoint_auth_method: 'none', redirect_uris },
    {
      client_id: 'signer',
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks,
      redirect_uris,
    },
  ])
  server = await protectedServer({ ofUsers: true, issuer: provider.issuer })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const loopback = { allowLoopbackHttp: true } as const

describe('oidc-provider', () => {
  test.each<[string, () => Registration]>([
    ['B62 a public client', () => publicClient({ issuer: provider.issuer, clientId: 'web', ...loopback })],
    [
      'B64 a client with a key',
      () =>
        privateKey({
          issuer: provider.issuer,
          clientId: 'signer',
          key,
          kid: 'k1',
          alg: 'ES256',
          ...loopback,
        }),
    ],
  ])('%s: consent, step-up, rotation and sign-out', async (_, registration) => {
    const store: AuthorizationStore = memoryAuthorizationStore()
    const instance = () =>
      authorizationCodeTransport.forWeb({
        endpoint: server.endpoint,
        registration: registration(),
        redirectUri,
        store: () => store,
        ...loopback,
      })
    const consent = instance()
    const first = await consentOf(ask(consent))
    await instance().finish('alice', await provider.browse(first.url, redirectUri))
    expect(await ask(consent)).toEqual({ subject: 'alice', scopes: ['mcp'] })

    const more = await consentOf(write(consent))
    await consent.finish('alice', await provider.browse(more.url, redirectUri))
    expect(await write(consent)).toBe('written')

    for (const { token } of server.seen) if (token !== undefined) server.refused.add(token)
    const before = provider.asked.length
    await Promise.all([instance(), consent].flatMap((each) => [write(each), write(each)]))
    expect(provider.asked.slice(before)).toMatchObject([
      { grant_type: 'refresh_token', resource: server.endpoint },
    ])
    await consent.forget('alice')
    await consentOf(ask(instance()))
  })
})
