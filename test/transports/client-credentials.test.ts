import { inspect } from 'node:util'
import { createClient, httpCaller, OutcomeUnknownError } from 'castellan/client'
import { memoryAuthorizationStore, StoreError, type AuthorizationStore } from 'castellan/store'
import {
  clientCredentialsTransport,
  secretBasic,
  secretPost,
  type ClientCredentialsOptions,
  type ClientTransport,
} from 'castellan/transports'
import type { Fault } from 'castellan/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { basic, whoami, writing } from '../fastify/guarded.js'
import { listen } from '../fastify/server.js'
import { publicClient } from '../../src/oauth/registration/public.js'
import { client, protectedServer, type ProtectedServer } from './protected-server.js'

let server: ProtectedServer
let open: ClientTransport[]
beforeEach(async () => {
  open = []
  server = await protectedServer()
})
afterEach(async () => {
  await Promise.all(open.map((transport) => transport.close()))
  await server.stop()
})

const registered = (make: typeof secretBasic = secretBasic, changes: object = {}) =>
  make({ ...client, issuer: server.as.issuer, allowLoopbackHttp: true, ...changes })

function transport(options: Partial<ClientCredentialsOptions> = {}): ClientTransport {
  const made = clientCredentialsTransport({
    endpoint: server.endpoint,
    registration: registered(),
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
const withToken = () => server.seen.filter(({ token }) => token !== undefined)

describe('an application that acts as itself', () => {
  test.each([
    ['C5 secretBasic', secretBasic],
    ['C6 secretPost', secretPost],
  ])('%s calls with a token of its own', async (_, make) => {
    expect(await ask(transport({ registration: registered(make) }))).toEqual({
      subject: 'job',
      scopes: ['mcp'],
    })
    expect(server.seen.map(({ token }) => token === undefined)).toEqual([true, false])
  })

  test('C9 asks for the scopes it names, else for those of the challenge', async () => {
    const named = await ask(transport({ scopes: ['mcp', 'notes:read'] }))
    expect(named).toMatchObject({ scopes: ['mcp', 'notes:read'] })
    expect(await ask(transport())).toMatchObject({ scopes: ['mcp'] })
  })

  test('C9 stays within what the operator allows', async () => {
    const quirks = { scopeOverride: ['mcp', 'extra'] }
    const registration = registered(secretBasic, { quirks })
    expect(await ask(transport({ registration }))).toMatchObject({ scopes: ['mcp', 'extra'] })
    const bounded = registered(secretBasic, { quirks: { scopeCeiling: ['other'] } })
    expect(await ask(transport({ registration: bounded }))).toMatchObject({ scopes: [] })
  })

  test('B116 D5 a hundred calls need one token', async () => {
    const made = transport()
    await Promise.all(Array.from({ length: 100 }, () => ask(made)))
    expect(server.as.requests.token).toBe(1)
    expect(new Set(withToken().map(({ token }) => token)).size).toBe(1)
  })

  test('B2 D14 F22 another process uses the stored token without asking anybody', async () => {
    const store = memoryAuthorizationStore()
    await ask(transport({ store }))
    const asked = { ...server.as.requests }
    await ask(transport({ store }))
    expect(server.as.requests).toMatchObject({ token: asked.token, metadata: asked.metadata })
    expect(server.seen).toHaveLength(3)
  })

  test('C12 a new secret keeps the grant, another client id or way to authenticate does not', async () => {
    const store = memoryAuthorizationStore()
    await ask(transport({ store }))
    await ask(transport({ store, registration: registered(secretBasic, { clientSecret: 'rotated' }) }))
    expect(server.as.requests.token).toBe(1)
    await ask(transport({ store, registration: registered(secretPost) }))
    expect(server.as.requests.token).toBe(2)
  })

  test('B116 F19 several processes at once ask for one token', async () => {
    const store = memoryAuthorizationStore()
    const all = Array.from({ length: 5 }, () => transport({ store }))
    await Promise.all(all.flatMap((made) => [ask(made), ask(made)]))
    expect(server.as.requests.token).toBe(1)
  })

  test('an application that now asks for more gets another token', async () => {
    const store = memoryAuthorizationStore()
    await ask(transport({ store, scopes: ['mcp'] }))
    expect(await ask(transport({ store, scopes: ['mcp', 'more'] }))).toMatchObject({
      scopes: ['mcp', 'more'],
    })
  })

  test('B34 B35 several registrations, or a function, are asked for the issuer the resource names', async () => {
    const other = secretBasic({ issuer: 'https://other.example.com', clientId: 'x', clientSecret: 'y' })
    expect(await ask(transport({ registration: [other, registered()] }))).toMatchObject({ subject: 'job' })
    const asked: string[] = []
    const registration = (issuer: string) => {
      asked.push(issuer)
      return registered()
    }
    expect(await ask(transport({ registration }))).toMatchObject({ subject: 'job' })
    expect(asked).toEqual([server.as.issuer])
    await expect(ask(transport({ registration: other }))).rejects.toMatchObject({ code: 'ERR_REGISTRATION' })
  })

  test('C4 a public client that a function gives is refused before anything is sent', async () => {
    const registration = () =>
      publicClient({ issuer: server.as.issuer, clientId: 'app', allowLoopbackHttp: true })
    await expect(ask(transport({ registration }))).rejects.toMatchObject({ code: 'ERR_REGISTRATION' })
    expect(server.as.requests.token).toBe(0)
  })
})

describe('a refusal of the resource', () => {
  test('B10 C11 of scopes is final: no other token is asked for', async () => {
    const made = transport()
    const failed = over(made).call(writing.definition, {})
    await expect(failed).rejects.toMatchObject({
      code: 'ERR_INSUFFICIENT_SCOPE',
      required: ['notes:read', 'notes:write'],
    })
    expect(server.as.requests.token).toBe(1)
    expect(withToken()).toHaveLength(1)
  })

  test('B10 C11 of the token is final by default', async () => {
    const made = transport()
    await ask(made)
    for (const { token } of withToken()) server.refused.add(token!)
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_INVALID_TOKEN' })
    expect((await made.fetch(server.endpoint, { method: 'POST', body: '{}' })).status).toBe(401)
    expect(server.as.requests.token).toBe(1)
  })

  test('B10 B11 of the token is lifted once where that is allowed, for five callers by one exchange', async () => {
    const made = transport({ renewOn401: 'once' })
    await ask(made)
    for (const { token } of withToken()) server.refused.add(token!)
    await Promise.all(Array.from({ length: 5 }, () => ask(made)))
    expect(server.as.requests.token).toBe(2)
    server.refused.add('*')
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_INVALID_TOKEN' })
    expect(server.as.requests.token).toBe(3)
  })
})

test('B11 F20 processes whose token is refused at once share one new token, and nobody deletes it', async () => {
  const store = memoryAuthorizationStore()
  const all = Array.from({ length: 4 }, () => transport({ store, renewOn401: 'once' }))
  await Promise.all(all.map(ask))
  for (const { token } of withToken()) server.refused.add(token!)
  await Promise.all(all.flatMap((made) => [ask(made), ask(made)]))
  expect(server.as.requests.token).toBe(2)
  await ask(transport({ store }))
  expect(server.as.requests.token).toBe(2)
})

test('B49 after a failure at the token endpoint its address is looked up anew', async () => {
  await ask(transport())
  const made = transport()
  const end = server.as.fault('token', 'outage')
  await ask(made).catch(() => undefined)
  end()
  const before = server.as.requests.metadata
  await ask(made)
  expect(server.as.requests.metadata).toBe(before + 1)
})

test('B4 a server that asks for no token is called without one, and not asked again and again', async () => {
  const seen: (string | undefined)[] = []
  const plain = await listen({ tools: [basic] }, (app) => {
    app.addHook('onRequest', async ({ headers }) => void seen.push(headers.authorization))
  })
  const made = transport({ endpoint: plain.url })
  for (let call = 0; call < 3; call++) await over(made).call(basic.definition, {})
  const discoveries = 3
  expect(seen).toEqual(Array.from({ length: 3 + discoveries }, () => undefined))
  expect(server.as.requests.token).toBe(0)
  await plain.app.close()
})

describe('when something is down', () => {
  test.each<[Fault, string]>([
    ['outage', 'ERR_AUTHORIZATION_UNAVAILABLE'],
    ['disconnect', 'ERR_AUTHORIZATION_UNAVAILABLE'],
    ['redirect', 'ERR_AUTHORIZATION_UNAVAILABLE'],
    ['huge', 'ERR_AUTHORIZATION_UNAVAILABLE'],
    ['bad-json', 'ERR_AUTHORIZATION_UNAVAILABLE'],
  ])('B105 a token endpoint with the fault %s sends nothing, and recovers', async (fault, code) => {
    const made = transport()
    const end = server.as.fault('token', fault)
    await expect(ask(made)).rejects.toMatchObject({ code })
    expect(withToken()).toEqual([])
    end()
    expect(await ask(made)).toMatchObject({ subject: 'job' })
  })

  test('B121 a token endpoint that hangs keeps no caller beyond its signal, and one exchange serves all', async () => {
    const made = transport()
    const end = server.as.fault('token', 'hang')
    const stopped = over(made).call(whoami.definition, {}, { signal: AbortSignal.timeout(300) })
    const patient = ask(made)
    await expect(stopped).rejects.toMatchObject({ name: 'TimeoutError' })
    end()
    expect(await patient).toMatchObject({ subject: 'job' })
    expect(server.as.requests.token).toBe(1)
  })

  test('B112 a store that cannot be read or written sends nothing, and its error is the caller’s', async () => {
    const failing = (step: 'load' | 'save'): AuthorizationStore => {
      const store = memoryAuthorizationStore()
      const broken = { [step]: () => Promise.reject(new StoreError('ERR_STORE_UNAVAILABLE')) }
      return {
        transactions: store.transactions,
        withCredentials: (keys, use, options) =>
          store.withCredentials(
            keys,
            (records, lease) =>
              use(new Map([...records].map(([key, own]) => [key, { ...own, ...broken }])), lease),
            options,
          ),
      }
    }
    for (const step of ['load', 'save'] as const) {
      const error: unknown = await ask(transport({ store: failing(step) })).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
      expect(error).not.toBeInstanceOf(OutcomeUnknownError)
    }
    expect(withToken()).toEqual([])
  })

  test('a resource that is not reached is told as such', async () => {
    const made = transport()
    await server.app.close()
    await expect(ask(made)).rejects.toMatchObject({ code: 'ERR_CONNECTION_LOST' })
    await expect(made.fetch(server.endpoint)).rejects.toBeInstanceOf(TypeError)
  })
})

test('B61 B89 G26 the secret and the token are in no error and not to be seen on the transport', async () => {
  const wrong = transport({ registration: registered(secretBasic, { clientSecret: 'canary-wrong' }) })
  const failures: unknown[] = []
  const note = (reason: unknown) => failures.push(reason)
  await ask(wrong).catch(note)
  await over(transport()).call(writing.definition, {}).catch(note)
  server.as.fault('token', 'bad-json')
  await ask(transport()).catch(note)
  expect(failures).toMatchObject([
    { code: 'ERR_TOKEN_ENDPOINT', oauthCode: 'invalid_client' },
    { code: 'ERR_INSUFFICIENT_SCOPE' },
    { code: 'ERR_AUTHORIZATION_UNAVAILABLE' },
  ])
  const shown = [...failures, ...open].map((each) => inspect(each, { depth: 12, showHidden: true })).join('')
  expect(shown).not.toContain('canary')
  for (const { token } of withToken()) expect(shown).not.toContain(token)
})

describe('options are checked at once', () => {
  test.each<[string, object]>([
    ['endpoint', { endpoint: 'http://api.example.com/mcp' }],
    ['endpoint', { endpoint: 'https://api.example.com/mcp#a' }],
    ['endpoint', { endpoint: 'https://user@api.example.com/mcp' }],
    ['registration', { registration: undefined }],
    ['registration', { registration: [] }],
    ['registration', { registration: publicClient({ issuer: 'https://h', clientId: 'app' }) }],
    ['scopes', { scopes: ['a b'] }],
    ['scopes', { scopes: 'a' }],
    ['renewOn401', { renewOn401: 'always' }],
    ['store', { store: undefined }],
    ['store', { store: {} }],
  ])('C4 %s: %j', (name, options) => {
    const make = () => transport(options)
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
    expect(make).toThrow(`\`${name}\``)
  })
})
