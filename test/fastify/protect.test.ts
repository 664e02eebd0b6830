import type { FastifyInstance } from 'fastify'
import { protect } from 'castellan/fastify'
import { badTokenKinds } from 'castellan/testing'
import { describe, expect, test } from 'vitest'
import { api, apiMetadata, protectedApp } from './protected-app.js'

const bare = `Bearer resource_metadata="${apiMetadata}"`
const invalidToken = `Bearer resource_metadata="${apiMetadata}", error="invalid_token"`
const invalidRequest = `Bearer resource_metadata="${apiMetadata}", error="invalid_request"`

/** Routes as a host has them. */
function notes(app: FastifyInstance): void {
  app.get('/me', (request) => request.principal.subject)
  app.get('/notes', { config: { scopes: ['notes:read'] } }, (request) => request.principal.scopes)
  app.post('/notes', { config: { scopes: [['notes:read', 'notes:write'], ['admin']] } }, () => 'written')
}

type Answer = Awaited<ReturnType<FastifyInstance['inject']>>

function rejection({ statusCode, headers, body }: Answer) {
  return [statusCode, headers['www-authenticate'], headers['cache-control'], body]
}

describe('a protected route', () => {
  test('A15 A24 without credentials it is 401 without an error', async () => {
    const { app } = await protectedApp(notes)
    for (const authorization of [undefined, 'Basic YTpi', '']) {
      const headers = authorization === undefined ? {} : { authorization }
      expect(rejection(await app.inject({ url: '/me', headers }))).toEqual([401, bare, 'no-store', ''])
    }
  })

  test.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer "x"'])('A16 %j is 401', async (authorization) => {
    const { app } = await protectedApp(notes)
    const answer = await app.inject({ url: '/me', headers: { authorization } })
    expect(rejection(answer)).toEqual([401, invalidToken, 'no-store', ''])
  })

  test('A17 every kind of bad token is the same 401', async () => {
    const { app, as } = await protectedApp(notes)
    for (const kind of badTokenKinds) {
      const token = await as.mintBad(kind, { resource: api })
      const answer = await app.inject({ url: '/me', headers: { authorization: `Bearer ${token}` } })
      expect(rejection(answer), kind).toEqual([401, invalidToken, 'no-store', ''])
    }
  })

  test.each(['access_token=x', '%61ccess_token=x', 'x=%zz'])('A13 query %s is 400', async (query) => {
    const { app, bearer } = await protectedApp(notes)
    const answer = await app.inject({ url: `/me?${query}`, headers: await bearer() })
    expect(rejection(answer)).toEqual([400, invalidRequest, 'no-store', ''])
  })

  test('A14 two Authorization headers are 400', async () => {
    const { app, bearer } = await protectedApp(notes)
    const { authorization } = await bearer()
    const headers = { authorization: [authorization, authorization] } as never
    expect(rejection(await app.inject({ url: '/me', headers }))).toEqual([
      400,
      invalidRequest,
      'no-store',
      '',
    ])
  })

  test('A18 while nobody can verify it is 503 without a challenge', async () => {
    const { app, as, bearer } = await protectedApp(notes)
    as.fault('jwks', 'outage')
    const answer = await app.inject({ url: '/me', headers: await bearer() })
    expect(rejection(answer)).toEqual([503, undefined, 'no-store', ''])
  })

  test('A99 A100 a good token gives the principal, frozen and without the token', async () => {
    const { app, bearer } = await protectedApp((host) => {
      host.get('/me', ({ principal }) => ({ frozen: Object.isFrozen(principal), principal }))
    })
    const headers = await bearer(['a'])
    const answer = await app.inject({ url: '/me', headers })
    expect(answer.json()).toMatchObject({ frozen: true, principal: { subject: 'alice', scopes: ['a'] } })
    expect(answer.body).not.toContain(headers.authorization.slice(-20))
  })

  test('A26 an earlier success never replaces the token', async () => {
    const { app, bearer } = await protectedApp(notes)
    expect((await app.inject({ url: '/me', headers: await bearer() })).statusCode).toBe(200)
    expect((await app.inject({ url: '/me', headers: { cookie: 'session=x' } })).statusCode).toBe(401)
  })

  test('G28 A25 a body is not read before the token is good', async () => {
    let parsed = 0
    const { app, bearer } = await protectedApp((host) => {
      host.addContentTypeParser('text/x', { parseAs: 'string' }, (_request, body, done) => {
        parsed += 1
        done(null, body)
      })
      host.post('/in', ({ body }) => body)
    })
    const post = { method: 'POST', url: '/in', payload: 'x', headers: { 'content-type': 'text/x' } } as const
    expect((await app.inject(post)).statusCode).toBe(401)
    expect(parsed).toBe(0)
    const good = await app.inject({ ...post, headers: { ...post.headers, ...(await bearer()) } })
    expect([good.body, parsed]).toEqual(['x', 1])
  })

  test('A22 F35 a 401 or 403 of the handler is left as it is', async () => {
    const { app, bearer } = await protectedApp((host) => {
      host.get('/upstream', (_request, reply) => reply.code(401).send({ upstream: true }))
    })
    const answer = await app.inject({ url: '/upstream', headers: await bearer() })
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, undefined])
  })
})

describe('scopes of a route', () => {
  const denied = (scope: string) =>
    `Bearer resource_metadata="${apiMetadata}", error="insufficient_scope", scope="${scope}"`

  test('A20 A31 what is missing is one 403 with the first complete alternative', async () => {
    const { app, bearer } = await protectedApp(notes)
    const read = await app.inject({ url: '/notes', headers: await bearer(['other']) })
    expect(rejection(read)).toEqual([403, denied('notes:read'), 'no-store', ''])
    const write = await app.inject({ method: 'POST', url: '/notes', headers: await bearer(['notes:read']) })
    expect(rejection(write)).toEqual([403, denied('notes:read notes:write'), 'no-store', ''])
    expect((await app.inject({ method: 'POST', url: '/notes', headers: await bearer(['admin']) })).body).toBe(
      'written',
    )
  })

  test('basicScopes are for routes that declare none, and [] is any good token', async () => {
    const { app, bearer } = await protectedApp(
      (host) => {
        notes(host)
        host.get('/any', { config: { scopes: [] } }, () => 'any')
      },
      { basicScopes: ['basic'] },
    )
    const status = async (url: string, scopes: string[]) =>
      (await app.inject({ url, headers: await bearer(scopes) })).statusCode
    expect(await status('/me', [])).toBe(403)
    expect(await status('/me', ['basic'])).toBe(200)
    expect(await status('/any', [])).toBe(200)
    expect(await status('/notes', ['notes:read'])).toBe(200)
    expect((await app.inject('/me')).headers['www-authenticate']).toBe(`${bare}, scope="basic"`)
    expect((await app.inject(new URL(apiMetadata).pathname)).json()).toMatchObject({
      scopes_supported: ['basic'],
    })
  })

  test('A33 a rule outside the grammar stops the start', async () => {
    for (const scopes of [['a b'], 'notes:read', [['a'], []], ['offline_access']]) {
      const start = protectedApp((host) => host.get('/x', { config: { scopes: scopes as never } }, () => 'x'))
      await expect(start).rejects.toMatchObject({ code: 'ERR_OPTION' })
    }
  })

  test('a wrong rule of a route that was there before never opens it', async () => {
    const { app, bearer } = await protectedApp(async (host, auth) => {
      host.get('/x', { config: { scopes: ['a b'] } }, () => 'open')
      await host.register(protect, { auth })
    }, 'bare')
    expect((await app.inject('/x')).statusCode).toBe(401)
    expect((await app.inject({ url: '/x', headers: await bearer() })).statusCode).toBe(500)
  })

  test('G18 the HEAD that Fastify adds keeps the scopes of its GET', async () => {
    const { app, bearer } = await protectedApp(notes)
    const head = async (headers: Record<string, string>) =>
      (await app.inject({ method: 'HEAD', url: '/notes', headers })).statusCode
    expect(await head({})).toBe(401)
    expect(await head(await bearer())).toBe(403)
    expect(await head(await bearer(['notes:read']))).toBe(200)
  })

  test('G18 no spelling of a path gets round the hook', async () => {
    const { app, bearer } = await protectedApp(notes)
    const weak = await bearer()
    for (const url of [
      '/notes',
      '/%6eotes',
      '//notes',
      '/notes/',
      '/NOTES',
      '/notes;a=b',
      '/./notes',
      '/notes%2f',
    ]) {
      const anonymous = await app.inject({ url, headers: { 'x-http-method-override': 'OPTIONS' } })
      expect(anonymous.statusCode, url).toBe(401)
      expect((await app.inject({ url, headers: weak })).statusCode, url).not.toBe(200)
    }
  })
})
