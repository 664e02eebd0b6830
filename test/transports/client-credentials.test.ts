import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore } from 'castellan/store'
import { clientCredentialsTransport, secretBasic } from 'castellan/transports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whoami } from '../fastify/guarded.js'
import { client, protectedServer, type ProtectedServer } from './protected-server.js'

let server: ProtectedServer
beforeAll(async () => {
  server = await protectedServer()
})
afterAll(() => server.stop())

const clientInfo = { name: 'job', version: '1.0.0' }

function transport(options: object = {}) {
  const registration = secretBasic({ ...client, issuer: server.as.issuer, allowLoopbackHttp: true })
  return clientCredentialsTransport({
    endpoint: server.endpoint,
    registration,
    store: memoryAuthorizationStore(),
    allowLoopbackHttp: true,
    ...options,
  })
}

describe('an application that acts as itself', () => {
  test('C5 calls a tool with a token of its own', async () => {
    const caller = createClient(httpCaller({ clientInfo, transport: transport() }))
    expect(await caller.call(whoami.definition, {})).toEqual({ subject: 'job', scopes: ['mcp'] })
    await caller.close()
  })
})
