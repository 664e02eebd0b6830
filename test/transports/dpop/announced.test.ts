import { createClient, httpCaller } from 'castellan/client'
import { DefinitionError } from 'castellan'
import { memoryAuthorizationStore } from 'castellan/store'
import {
  authorizationCodeTransport,
  clientCredentialsTransport,
  publicClient,
  secretBasic,
  workloadIdentityTransport,
} from 'castellan/transports'
import { expect, test } from 'vitest'
import { whoami } from '../../fastify/guarded.js'
import { client, protectedServer } from '../protected-server.js'

test.each([
  ['nothing', undefined, /does not announce DPoP/],
  ['other signatures', ['RS256'], /signed with ES256/],
])(
  'A61 RFC 9449 §5.1 an authorization server that announces %s is asked for nothing',
  async (_, list, said) => {
    const metadata = { dpop_signing_alg_values_supported: list }
    const server = await protectedServer({ dpop: {}, server: { clients: [client], metadata } })
    const transport = clientCredentialsTransport({
      endpoint: server.endpoint,
      registration: secretBasic({ ...client, issuer: server.as.issuer, allowLoopbackHttp: true }),
      store: memoryAuthorizationStore(),
      dpop: true,
      allowLoopbackHttp: true,
    })
    const caller = httpCaller({ clientInfo: { name: 'job', version: '1.0.0' }, transport })
    const call = createClient(caller).call(whoami.definition, {})
    await expect(call).rejects.toMatchObject({
      code: 'ERR_DISCOVERY',
      message: expect.stringMatching(said) as string,
    })
    expect(server.as.requests.token).toBe(0)
    await transport.close()
    await server.stop()
  },
)

test('A61 a resource that takes no ES256 proofs is told before a token is asked for', async () => {
  const server = await protectedServer({ dpop: { algorithms: ['PS256'] } })
  const transport = clientCredentialsTransport({
    endpoint: server.endpoint,
    registration: secretBasic({ ...client, issuer: server.as.issuer, allowLoopbackHttp: true }),
    store: memoryAuthorizationStore(),
    dpop: true,
    allowLoopbackHttp: true,
  })
  const caller = httpCaller({ clientInfo: { name: 'job', version: '1.0.0' }, transport })
  await expect(createClient(caller).call(whoami.definition, {})).rejects.toMatchObject({
    code: 'ERR_DISCOVERY',
  })
  expect(server.as.requests.token).toBe(0)
  await transport.close()
  await server.stop()
})

test.each([1, 'yes', null])('A61 `dpop: %j` is refused at construction', (dpop) => {
  const issuer = 'https://login.example.com'
  const endpoint = 'https://api.example.com/mcp'
  const store = memoryAuthorizationStore()
  const wrong = { dpop: dpop as unknown as boolean }
  const registration = publicClient({ issuer, clientId: 'c' })
  const makers = [
    () =>
      clientCredentialsTransport({
        ...{ endpoint, store, ...wrong },
        registration: secretBasic({ issuer, clientId: 'c', clientSecret: 's' }),
      }),
    () =>
      authorizationCodeTransport.forWeb({
        ...{ endpoint, registration, ...wrong },
        redirectUri: 'https://app.example.com/cb',
        store: () => store,
      }),
    () =>
      authorizationCodeTransport.forLocal({
        ...{ endpoint, registration, store, ...wrong },
        openBrowser: () => Promise.resolve(),
      }),
    () =>
      workloadIdentityTransport({
        ...{ endpoint, issuer, clientId: 'c', store, ...wrong },
        assertion: () => Promise.resolve(''),
      }),
  ]
  for (const make of makers) expect(make).toThrow(DefinitionError)
})
