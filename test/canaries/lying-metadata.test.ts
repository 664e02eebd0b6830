import { createClient, httpCaller } from 'castellan/client'
import { authorizationCodeTransport, clientCredentialsTransport, secretPost } from 'castellan/transports'
import { describe, expect, onTestFinished, test } from 'vitest'
import { whoami } from '../fastify/guarded.js'
import { ask, redirectUri } from '../transports/authorization-code/web-app.js'
import { protectedServer } from '../transports/protected-server.js'
import { canaries } from './canaries.js'
import { recordedStore } from './recorded-store.js'
import { canary } from './secrets.js'

const loopback = { allowLoopbackHttp: true } as const
const marked = canary('marked').replaceAll('/', '_')
const addresses = [
  ['an address that is not reached', `http://127.0.0.1:9/${marked}?sig=${marked}`],
  ['credentials', `https://user:${marked}@127.0.0.1/`],
  ['an address inside the network', `https://10.0.0.1/${marked}?sig=${marked}`],
  ['a script', `javascript:${marked}`],
  ['a fragment', `https://127.0.0.1/#${marked}`],
  ['a word', marked],
] as const
const members = ['issuer', 'token_endpoint', 'authorization_endpoint', 'revocation_endpoint']

type Lie = readonly [name: string, metadata: Readonly<Record<string, unknown>>]

const lies: readonly Lie[] = [
  ...members.flatMap((member) =>
    addresses.map(([name, address]): Lie => [`${name} as ${member}`, { [member]: address }]),
  ),
  ['a preset of the request', { authorization_endpoint: `https://127.0.0.1/?state=${marked}` }],
  ['words for grant types', { grant_types_supported: marked }],
  ['methods nobody knows', { token_endpoint_auth_methods_supported: [marked] }],
]

describe('B82 B89 G26 nothing is said of metadata that has', () => {
  test.each(lies)('%s', async (_, metadata) => {
    const found = canaries()
    const clientSecret = canary('client-secret')
    found.secrets.add('marked', marked)
    found.secrets.add('client_secret', clientSecret)
    const client = { clientId: 'shop', clientSecret, redirectUris: [redirectUri] }
    const server = await protectedServer({ server: { clients: [client], metadata } })
    onTestFinished(() => server.stop())
    const { issuer } = server.as
    const registration = secretPost({ issuer, ...client, ...loopback })
    const options = { endpoint: server.endpoint, registration, ...loopback }
    const store = recordedStore(found.secrets)
    const transport = clientCredentialsTransport({ ...options, store })
    const made = createClient(httpCaller({ clientInfo: { name: 'job', version: '1' }, transport }))
    const consent = authorizationCodeTransport.forWeb({ ...options, redirectUri, store: () => store })
    await found.attempt(ask(consent))
    await found.attempt(made.call(whoami.definition, {}))
    found.seen('transport', made, transport, consent)
    await Promise.all([made.close(), consent.close()])
    expect(found.heard.get('error')).toBeGreaterThan(0)
    found.expectSilence('marked', 'client_secret')
  })
})
