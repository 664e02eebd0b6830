import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore, type AuthorizationStore } from 'castellan/store'
import { clientCredentialsTransport, secretBasic, type ClientTransport } from 'castellan/transports'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { whoami } from '../../fastify/guarded.js'
import { client, protectedServer, type ProtectedServer } from '../protected-server.js'

let server: ProtectedServer
let open: ClientTransport[]
beforeEach(async () => {
  open = []
  const dpop = { required: true, nonce: { secret: randomBytes(32) } }
  server = await protectedServer({ dpop, server: { clients: [client], dpopNonces: true } })
})
afterEach(async () => {
  await Promise.all(open.map((made) => made.close()))
  await server.stop()
})

function transport(store: AuthorizationStore = memoryAuthorizationStore(), dpop = true): ClientTransport {
  const made = clientCredentialsTransport({
    endpoint: server.endpoint,
    registration: secretBasic({ ...client, issuer: server.as.issuer, allowLoopbackHttp: true }),
    store,
    dpop,
    allowLoopbackHttp: true,
  })
  open.push(made)
  return made
}

const ask = (made: ClientTransport) =>
  createClient(httpCaller({ clientInfo: { name: 'job', version: '1.0.0' }, transport: made })).call(
    whoami.definition,
    {},
  )
const tokens = () => server.seen.flatMap(({ token }) => token ?? [])

test('A61 G10 binds its token to a key, and proves it with the nonces of both servers', async () => {
  const made = transport()
  expect(await ask(made)).toMatchObject({ subject: 'job' })
  expect(await ask(made)).toMatchObject({ subject: 'job' })
  expect(server.as.requests.token).toBe(2)
  expect(tokens()).toHaveLength(3)
  expect(decodeJwt(tokens()[0] ?? '')).toMatchObject({ cnf: { jkt: expect.any(String) as string } })
})

test('A61 another process goes on with the key that is kept with the grant', async () => {
  const store = memoryAuthorizationStore()
  await ask(transport(store))
  const { token } = server.as.requests
  expect(await ask(transport(store))).toMatchObject({ subject: 'job' })
  expect(server.as.requests.token).toBe(token)
  expect(new Set(tokens()).size).toBe(1)
})

test('A61 the plain fetch proves each request as well', async () => {
  const made = transport()
  await ask(made)
  expect((await made.fetch(server.endpoint, { method: 'GET' })).status).toBe(405)
  expect((await made.fetch(server.endpoint, { method: 'DELETE' })).status).toBe(405)
})

test('A61 a stolen token is of no use without the key', async () => {
  await ask(transport())
  const [token = ''] = tokens()
  for (const scheme of ['Bearer', 'DPoP']) {
    const headers = { authorization: `${scheme} ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(server.endpoint, { method: 'POST', headers, body: '{}' })
    expect(answer.status).toBe(401)
  }
})

test('A61 without `dpop: true` a resource that takes bound tokens only is told before anything is sent', async () => {
  await expect(ask(transport(undefined, false))).rejects.toMatchObject({ code: 'ERR_DISCOVERY' })
  expect(server.as.requests.token).toBe(0)
})

test('A61 the private key is in no error and not to be seen on the transport', async () => {
  const made = transport()
  await ask(made)
  server.refused.add('*')
  const error: unknown = await ask(made).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'ERR_INVALID_TOKEN' })
  const shown = [error, made].map((each) => inspect(each, { depth: 12, showHidden: true })).join('')
  expect(shown).not.toMatch(/"?\bd"?: ?'[\w-]{43}'/)
  for (const token of tokens()) expect(shown).not.toContain(token)
})
