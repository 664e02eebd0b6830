import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore, type AuthorizationStore } from 'castellan/store'
import { clientCredentialsTransport, secretBasic, type ClientTransport } from 'castellan/transports'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { readGrant, writeGrant } from '../../../src/transports/grant/grant-record.js'
import { newProofKey } from '../../../src/transports/possession/proof-key.js'
import { whoami } from '../../fastify/guarded.js'
import { ask as askAsUser, consented, consentOf, webApp } from '../authorization-code/web-app.js'
import { client, protectedServer } from '../protected-server.js'

const ask = (transport: ClientTransport) =>
  createClient(httpCaller({ clientInfo: { name: 'job', version: '1.0.0' }, transport })).call(
    whoami.definition,
    {},
  )
const made = (endpoint: string, issuer: string, store: AuthorizationStore, dpop: boolean) =>
  clientCredentialsTransport({
    endpoint,
    registration: secretBasic({ ...client, issuer, allowLoopbackHttp: true }),
    store,
    dpop,
    allowLoopbackHttp: true,
  })

test('A61 G10 a grant of the time before `dpop: true` is never used with it, nor the other way round', async () => {
  const server = await protectedServer({ dpop: {} })
  const store = memoryAuthorizationStore()
  const open = [false, true, false].map((dpop) => made(server.endpoint, server.as.issuer, store, dpop))
  for (const transport of open) await ask(transport)
  const bound = server.seen.flatMap(({ token }) => (token === undefined ? [] : 'cnf' in decodeJwt(token)))
  expect(bound).toEqual([false, true, false])
  expect(server.as.requests.token).toBe(2)
  await Promise.all(open.map((transport) => transport.close()))
  await server.stop()
})

test('A61 a stored token without its key, and a key beside a bearer token, are damage', async () => {
  const binding = {
    kind: 'client_credentials',
    issuer: 'https://login.example.com',
    clientId: 'c',
    method: 'client_secret_basic',
    identity: [],
    endpoint: 'https://api.example.com/mcp',
    dpop: true,
  } as const
  const state = { type: 'ready', issuanceId: 'i', accessToken: 't', obtainedAt: 1, granted: [] } as const
  const proofKey = await newProofKey()
  const written = (more: { tokenType: 'Bearer' | 'DPoP'; proofKey?: typeof proofKey }) =>
    writeGrant({ binding, requested: [], state: { ...state, ...more } })
  const corrupt: unknown = expect.objectContaining({ code: 'ERR_STORE_CORRUPT' })
  expect(() => readGrant(written({ tokenType: 'DPoP' }), binding)).toThrow(corrupt)
  expect(() => readGrant(written({ tokenType: 'Bearer', proofKey }), binding)).toThrow(corrupt)
  expect(readGrant(written({ tokenType: 'DPoP', proofKey }), binding).state).toMatchObject({ proofKey })
})

test('A61 RFC 9449 §9 a caller is told when a resource refuses every proof', async () => {
  const server = await protectedServer({ dpop: {} })
  const front = createServer((request, response) => {
    const { authorization } = request.headers
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      const { port } = front.address() as AddressInfo
      const resource = `http://127.0.0.1:${port}/mcp`
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ resource, authorization_servers: [server.as.issuer] }))
    } else if (authorization === undefined) response.writeHead(401, { 'www-authenticate': 'DPoP' }).end()
    else
      response
        .writeHead(401, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'again' })
        .end()
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  const endpoint = `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`
  const transport = made(endpoint, server.as.issuer, memoryAuthorizationStore(), true)
  await expect(ask(transport)).rejects.toMatchObject({
    code: 'ERR_INVALID_TOKEN',
    message: expect.stringMatching(/proof of possession/) as string,
  })
  await transport.close()
  front.closeAllConnections()
  front.close()
  await server.stop()
})

test.each([
  ['with', true],
  ['without', false],
])(
  'B120 A61 a sign-out %s `dpop` ends the grants of the time with it and of that without',
  async (_, dpop) => {
    const app = await webApp({}, {})
    for (const isBound of [false, true]) await consented(app, app.instance({ dpop: isBound }))
    await app.instance({ dpop }).forget('alice')
    const revoked = app.as.received.filter(({ endpoint }) => endpoint === 'revocation')
    expect(revoked.map(({ parameters }) => parameters['token_type_hint'])).toEqual(
      Array.from({ length: 2 }, () => ['refresh_token', 'access_token']).flat(),
    )
    for (const isBound of [false, true]) await consentOf(askAsUser(app.instance({ dpop: isBound })))
    await app.stop()
  },
)
