import type { FastifyInstance, FastifyRequest } from 'fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { injectWith, type Caller } from '../../src/fastify/in-process-request.js'
import { protectedApp, type ProtectedApp } from './protected-app.js'

/** The caller that the guard made of a token. */
async function verified({ as, auth }: ProtectedApp, scopes: readonly string[] = []): Promise<Caller> {
  const verification = await auth.verify(await as.mint({ resource: auth.resource, scopes, subject: 'bob' }))
  if (verification.outcome === 'accepted') return { principal: verification.principal, auth }
  throw new Error(verification.outcome)
}

describe('a principal handed over in process', () => {
  test('A99 the route gets the very principal, without any header', async () => {
    let seen: FastifyRequest | undefined
    const host = await protectedApp((app) => {
      app.get('/me', (request) => {
        seen = request
        return request.principal.subject
      })
    })
    const caller = await verified(host)
    expect((await injectWith(host.app, { caller }, { url: '/me' })).body).toBe('bob')
    expect(seen?.principal).toBe(caller.principal)
    expect(Object.keys(seen?.raw.headers ?? {}).sort()).toEqual(['host', 'user-agent'])
  })

  test('A20 the scopes of the route apply', async () => {
    const host = await protectedApp((app) => app.get('/x', { config: { scopes: ['a'] } }, () => 'x'))
    expect((await injectWith(host.app, { caller: await verified(host) }, { url: '/x' })).statusCode).toBe(403)
    expect((await injectWith(host.app, { caller: await verified(host, ['a']) }, { url: '/x' })).body).toBe(
      'x',
    )
  })

  test('A115 what a handler injects is nobody, on a guarded and on a public route', async () => {
    const nest = async ({ server }: FastifyRequest) => (await server.inject('/inner')).statusCode.toString()
    const host = await protectedApp(async (app, auth) => {
      app.get('/public', nest)
      await app.register(async (inner) => {
        const { protect } = await import('castellan/fastify')
        await inner.register(protect, { auth })
        inner.get('/outer', nest)
        inner.get('/inner', () => 'inner')
      })
    }, 'bare')
    const caller = await verified(host)
    expect((await injectWith(host.app, { caller }, { url: '/outer' })).body).toBe('401')
    expect((await injectWith(host.app, { caller }, { url: '/public' })).body).toBe('401')
    expect((await injectWith(host.app, { caller }, { url: '/inner' })).body).toBe('inner')
  })

  test('it is given once, also to whoever copies what the request was made with', async () => {
    const again = async (request: FastifyRequest) => {
      const { _lightMyRequest } = request.raw as unknown as { _lightMyRequest: { signal: AbortSignal } }
      const { signal } = _lightMyRequest
      return (await request.server.inject({ url: '/inner', signal })).statusCode.toString()
    }
    const host = await protectedApp((app) => {
      app.get('/outer', again)
      app.get('/inner', () => 'inner')
    })
    expect((await injectWith(host.app, { caller: await verified(host) }, { url: '/outer' })).body).toBe('401')
  })

  test('G24 headers and members of that name from the network give nothing', async () => {
    const host = await protectedApp((app) => app.get('/me', () => 'in'))
    const url = await host.listen()
    const headers = { _lightmyrequest: '{"signal":{}}', 'x-principal': 'root', signal: 'x' }
    expect((await fetch(`${url}/me`, { headers })).status).toBe(401)
    expect((await host.app.inject({ url: '/me', headers })).statusCode).toBe(401)
  })

  test('A4 G6 a principal of another resource server is nobody, though of the same issuer', async () => {
    const host = await protectedApp((app) => app.get('/me', () => 'in'))
    const { principal } = await verified(host)
    const auth = jwtResourceServer({
      resource: 'https://api.example.com/other',
      issuer: host.as.issuer,
      allowLoopbackHttp: true,
    })
    onTestFinished(() => auth.close())
    expect((await injectWith(host.app, { caller: { principal, auth } }, { url: '/me' })).statusCode).toBe(401)
  })

  test('many at once never mix', async () => {
    const slow = (app: FastifyInstance) => {
      app.addHook('onRequest', async () => new Promise((resolve) => setImmediate(resolve)))
    }
    const host = await protectedApp(async (app, auth) => {
      slow(app)
      const { protect } = await import('castellan/fastify')
      await app.register(protect, { auth })
      app.get('/me', ({ principal }) => principal.subject)
    }, 'bare')
    const caller = await verified(host)
    const names = Array.from({ length: 50 }, (_, index) => `user-${index}`)
    const answers = await Promise.all(
      names.flatMap((subject) => [
        injectWith(
          host.app,
          { caller: { ...caller, principal: { ...caller.principal, subject } } },
          { url: '/me' },
        ).then(({ body }) => body),
        host.app.inject('/me').then(({ statusCode }) => statusCode),
      ]),
    )
    expect(answers).toEqual(names.flatMap((name) => [name, 401]))
  })

  test('the signal of the caller still cuts the request', async () => {
    const host = await protectedApp((app) => app.get('/hang', () => new Promise(() => undefined)))
    const abort = new AbortController()
    const answer = injectWith(
      host.app,
      { caller: await verified(host) },
      { url: '/hang', signal: abort.signal },
    )
    abort.abort()
    await expect(answer).rejects.toThrow()
  })
})
