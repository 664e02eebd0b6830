import { inspect } from 'node:util'
import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore } from 'castellan/store'
import { testAuthorizationServer, type TestAuthorizationServer } from 'castellan/testing'
import {
  workloadIdentityTransport,
  type ClientTransport,
  type WorkloadIdentityOptions,
} from 'castellan/transports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { whoami, writing } from '../../fastify/guarded.js'
import { protectedServer, type ProtectedServer } from '../protected-server.js'

let platform: TestAuthorizationServer
let as: TestAuthorizationServer
let server: ProtectedServer
let open: ClientTransport[]
beforeEach(async () => {
  open = []
  platform = await testAuthorizationServer()
  as = await testAuthorizationServer({ assertions: { workloadIssuers: [platform.issuer] } })
  server = await protectedServer({ issuer: as.issuer, ofUsers: true })
})
afterEach(async () => {
  await Promise.all(open.map((made) => made.close()))
  await server.stop()
  await as.close()
  await platform.close()
})

const jwt = (changes: object = {}) =>
  platform.mint({ resource: as.issuer, subject: 'workload', header: { typ: 'JWT' }, ...changes })

function transport(options: Partial<WorkloadIdentityOptions> = {}): ClientTransport {
  const made = workloadIdentityTransport({
    endpoint: server.endpoint,
    issuer: as.issuer,
    clientId: 'report',
    assertion: () => jwt(),
    store: memoryAuthorizationStore(),
    allowLoopbackHttp: true,
    ...options,
  })
  open.push(made)
  return made
}

const over = (made: ClientTransport) =>
  createClient(httpCaller({ clientInfo: { name: 'job', version: '1.0.0' }, transport: made }))
const ask = (made: ClientTransport) => over(made).call(whoami.definition, {})

describe('a workload its platform vouches for', () => {
  test('C37 needs no announcement of clients without authentication, and no warning of the process', async () => {
    const warnings: Error[] = []
    const warned = (warning: Error) => void warnings.push(warning)
    process.on('warning', warned)
    const metadata = { token_endpoint_auth_methods_supported: ['client_secret_basic'] }
    const strict = await testAuthorizationServer({
      assertions: { workloadIssuers: [platform.issuer] },
      metadata,
    })
    const own = await protectedServer({ issuer: strict.issuer, ofUsers: true })
    const assertion = () => jwt({ resource: strict.issuer })
    const made = transport({ endpoint: own.endpoint, issuer: strict.issuer, assertion })
    expect(await ask(made)).toMatchObject({ subject: 'workload' })
    await made.close()
    await own.stop()
    await strict.close()
    process.off('warning', warned)
    expect(warnings.filter(({ name }) => name === 'CastellanWarning')).toEqual([])
  })

  test('C37 calls as itself with one token, and shows the assertion and no secret', async () => {
    const made = transport()
    await Promise.all(Array.from({ length: 20 }, () => ask(made)))
    expect(await ask(made)).toEqual({ subject: 'workload', scopes: ['mcp'] })
    expect(as.received.map(({ parameters }) => parameters)).toEqual([
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: expect.any(String) as string,
        client_id: 'report',
        resource: server.endpoint,
        scope: 'mcp',
      },
    ])
  })

  test.each([
    ['another audience', { resource: 'https://other.example.com' }],
    ['an ended life', { expiresInSeconds: -10 }],
  ])(
    'C32 C37 an assertion with %s is refused: nothing is asked twice or in another way',
    async (_, changes) => {
      const made = transport({ assertion: () => jwt(changes) })
      const failure: unknown = await ask(made).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'ERR_TOKEN_ENDPOINT', oauthCode: 'invalid_grant' })
      expect(as.requests).toMatchObject({ token: 1, authorization: 0 })
      const { assertion = '' } = as.received[0]?.parameters ?? {}
      expect(inspect([failure, made], { depth: 12, showHidden: true })).not.toContain(assertion)
    },
  )

  test('B10 C37 what the resource refuses is final', async () => {
    const made = transport()
    await expect(over(made).call(writing.definition, {})).rejects.toMatchObject({
      code: 'ERR_INSUFFICIENT_SCOPE',
    })
    server.refused.add('*')
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_INVALID_TOKEN' })
    expect(as.requests.token).toBe(1)
  })

  test('B34 C37 another authorization server never sees the assertion', async () => {
    const made = transport({ issuer: platform.issuer })
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_REGISTRATION' })
    expect(as.requests.token + platform.requests.token).toBe(0)
  })

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty file', ''],
    ['an object', { token: 'x' }],
    ['a file that ends with a line break', 'a.b.c\n'],
    ['a page', '<html> Not found'],
    ['too much', 'a'.repeat(300_000)],
  ])('C37 RFC 7523 §2.1 %s in place of an assertion is never sent', async (_, value) => {
    const made = transport({ assertion: () => Promise.resolve(value as string) })
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_IDENTITY_REQUIRED' })
    expect(as.requests.token).toBe(0)
  })

  test('C37 a platform that fails is the error of the call', async () => {
    const made = transport({ assertion: () => Promise.reject(new Error('no token file')) })
    await expect(ask(made)).rejects.toThrow('no token file')
    expect(as.requests.token).toBe(0)
  })

  test.each<[string, object]>([
    ['assertion', { assertion: 'a token' }],
    ['scopes', { scopes: ['a b'] }],
    ['clientId', { clientId: '' }],
    ['issuer', { issuer: 'not a URL' }],
    ['store', { store: undefined }],
  ])('%s is checked at once', (name, options) => {
    expect(() => transport(options)).toThrow(`\`${name}\``)
  })
})
