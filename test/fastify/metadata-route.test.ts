import Fastify from 'fastify'
import mcp, { protectedResourceMetadata } from 'castellan/fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenGuarded, resource, type GuardedServer } from './guarded.js'

const place = '/.well-known/oauth-protected-resource/mcp'
const auth = (at = resource) => jwtResourceServer({ resource: at, issuer: 'https://login.example.com' })

let server: GuardedServer
beforeAll(async () => {
  server = await listenGuarded({}, (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.headers['x-block'] !== undefined) await reply.code(418).send()
    })
  })
})
afterAll(() => server.stop())

const at = (path: string) => new URL(path, server.url)

describe('the document', () => {
  test('A40 A42 A44 F48 stands at its well-known place for everyone', async () => {
    const answer = await fetch(at(place))
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      resource,
      authorization_servers: [server.as.issuer],
      scopes_supported: ['mcp'],
      bearer_methods_supported: ['header'],
    })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('A45 HEAD, OPTIONS and the rest', async () => {
    expect((await fetch(at(place), { method: 'HEAD' })).status).toBe(200)
    const preflight = await fetch(at(place), {
      method: 'OPTIONS',
      headers: { origin: 'https://x.example', 'access-control-request-headers': 'mcp-protocol-version' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toBe('mcp-protocol-version')
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await fetch(at(place), { method })
      expect({ status: answer.status, allow: answer.headers.get('allow') }).toEqual({
        status: 405,
        allow: 'GET, HEAD, OPTIONS',
      })
    }
  })

  test('A1 B084 F33 forwarded headers never change it', async () => {
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', host: 'evil.example' }
    expect(await (await fetch(at(place), { headers })).json()).toMatchObject({ resource })
  })

  test('A41 the bare well-known place is not ours', async () => {
    expect((await fetch(at('/.well-known/oauth-protected-resource'))).status).toBe(404)
  })
})

describe('where it is registered', () => {
  test('B082 under a prefix the app does not start without it', async () => {
    const app = Fastify()
    await app.register(
      async (api) => {
        await api.register(mcp, {
          path: '/mcp',
          name: 'x',
          version: '1',
          auth: auth('https://h.example/v1/mcp'),
        })
      },
      { prefix: '/v1' },
    )
    await expect(app.ready()).rejects.toThrow(/register protectedResourceMetadata at the root/)
  })

  test('B082 under a prefix the root serves it', async () => {
    const app = Fastify()
    const guarded = auth('https://h.example/v1/mcp')
    await app.register(protectedResourceMetadata, { auth: guarded, resourceName: 'Notes' })
    await app.register(mcp, { prefix: '/v1', path: '/mcp', name: 'x', version: '1', auth: guarded })
    const answer = await app.inject('/.well-known/oauth-protected-resource/v1/mcp')
    expect(answer.json()).toMatchObject({ resource: 'https://h.example/v1/mcp', resource_name: 'Notes' })
    await app.close()
  })

  test('after mcp at the root it is told to come first', async () => {
    const app = Fastify()
    const guarded = auth()
    await app.register(mcp, { path: '/mcp', name: 'x', version: '1', auth: guarded })
    void app.register(protectedResourceMetadata, { auth: guarded })
    await expect(app.ready().then(() => 'ready')).rejects.toThrow(/before mcp/)
  })

  test.each(['https://other.example.com/mcp', `${resource}?tenant=b`])(
    'A48 %s cannot be described at the place of another resource: the app does not start',
    async (second) => {
      const app = Fastify()
      const common = { name: 'x', version: '1', tools: [] }
      await app.register(mcp, { ...common, path: '/a', auth: auth() })
      await app.register(mcp, { ...common, path: '/b', auth: auth(second) })
      await expect(app.ready()).rejects.toMatchObject({
        code: 'ERR_OPTION',
        message: expect.stringContaining(place),
      })
    },
  )

  test('A48 two resources in one app have two documents, and tokens do not cross', async () => {
    const app = Fastify()
    await app.register(mcp, { path: '/a', name: 'a', version: '1', auth: auth('https://h.example/a') })
    await app.register(mcp, { path: '/b', name: 'b', version: '1', auth: auth('https://h.example/b') })
    for (const name of ['a', 'b']) {
      const document = await app.inject(`/.well-known/oauth-protected-resource/${name}`)
      expect(document.json().resource).toBe(`https://h.example/${name}`)
      const rejected = await app.inject({ method: 'POST', url: `/${name}` })
      expect(rejected.headers['www-authenticate']).toContain(`/.well-known/oauth-protected-resource/${name}"`)
    }
    await app.close()
  })

  test('A47 a resource with a query is matched with it', async () => {
    const app = Fastify()
    await app.register(mcp, {
      path: '/mcp',
      name: 'q',
      version: '1',
      auth: auth('https://h.example/mcp?tenant=1'),
    })
    expect((await app.inject(`${place}?tenant=1`)).statusCode).toBe(200)
    expect((await app.inject(`${place}?tenant=2`)).statusCode).toBe(404)
    expect((await app.inject(place)).statusCode).toBe(404)
    await app.close()
  })
})
