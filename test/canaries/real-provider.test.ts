import { createClient, httpCaller } from 'castellan/client'
import {
  authorizationCodeTransport,
  clientCredentialsTransport,
  privateKey,
  signedClientMetadata,
} from 'castellan/transports'
import { exportJWK } from 'jose'
import { describe, onTestFinished, test } from 'vitest'
import { either, whoami } from '../fastify/guarded.js'
import { consentingProvider } from '../transports/authorization-code/consenting-provider.js'
import { documentUrl, keyOfClient, metadataWorld } from '../transports/authorization-code/metadata-client.js'
import { ask, consentOf, redirectUri, write } from '../transports/authorization-code/web-app.js'
import { protectedServer } from '../transports/protected-server.js'
import { canaries } from './canaries.js'
import { recordedStore } from './recorded-store.js'

const loopback = { allowLoopbackHttp: true } as const
const own = await keyOfClient()
const { d } = await exportJWK(own.privateKey)
const signing = { key: own.privateKey, kid: 'k1', alg: 'ES256', ...loopback } as const

describe('G26 B61 B64 nothing secret is shown with oidc-provider', () => {
  test.each([false, true])(
    'by a user of a client with a key in its document, opaque tokens: %s',
    async (opaque) => {
      const found = canaries()
      found.secrets.add('key of the client', d)
      const description = { clientId: documentUrl, name: 'Notes', redirectUris: [redirectUri] }
      const world = await metadataWorld({ ...description, keys: { keys: [own.publicJwk] } }, { opaque })
      onTestFinished(() => world.stop())
      const { provider, server } = world
      const store = recordedStore(found.secrets)
      const registration = signedClientMetadata({
        ...signing,
        issuer: provider.issuer,
        clientId: documentUrl,
      })
      const consent = authorizationCodeTransport.forWeb({
        endpoint: server.endpoint,
        registration,
        redirectUri,
        store: () => store,
        ...loopback,
      })
      for (const call of [ask, write]) {
        const required = await consentOf(call(consent))
        found.caught(required)
        const callback = await provider.browse(required.url, redirectUri)
        await consent.finish('alice', callback)
        await found.attempt(consent.finish('alice', callback))
        await call(consent)
      }
      for (const { token } of server.seen) if (token !== undefined) server.refused.add(token)
      await write(consent)
      await world.serve(description)
      server.refused.add('*')
      await found.attempt(write(consent))
      found.seen('transport', consent, registration, store)
      await found.attempt(consent.forget('alice'))
      await consent.close()
      found.expectSilence(
        'client_assertion',
        'code',
        'code_verifier',
        'state',
        'access_token',
        'refresh_token',
      )
    },
  )

  test('by an application with a key', async () => {
    const found = canaries()
    found.secrets.add('key of the client', d)
    const client = {
      client_id: 'job',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [own.publicJwk] },
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    } as const
    const features = { clientCredentials: { enabled: true } }
    const provider = await consentingProvider([{ ...client, jwks: { keys: [own.publicJwk] } }], { features })
    const heard = { audit: found.audit, span: found.span }
    const server = await protectedServer({ issuer: provider.issuer, ...heard })
    onTestFinished(async () => {
      await server.stop()
      await provider.close()
    })
    const { privateKey: wrong } = await keyOfClient()
    for (const key of [own.privateKey, wrong]) {
      const registration = privateKey({ ...signing, key, issuer: provider.issuer, clientId: 'job' })
      const store = recordedStore(found.secrets)
      const options = { endpoint: server.endpoint, registration, store, ...loopback }
      const transport = clientCredentialsTransport(options)
      const made = createClient(httpCaller({ clientInfo: { name: 'job', version: '1' }, transport }))
      await found.attempt(made.call(whoami.definition, {}))
      await found.attempt(made.call(either.definition, {}))
      found.seen('transport', made, transport, registration)
      await made.close()
    }
    found.expectSilence('client_assertion', 'access_token', 'key of the client')
  })
})
