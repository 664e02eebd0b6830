import cors from '@fastify/cors'
import Fastify, { type FastifyInstance } from 'fastify'
import mcp, { protect, protectedResourceMetadata } from 'castellan/fastify'
import { jwtResourceServer, type ResourceServer } from 'castellan/resource-server'
import { describe, expect, test } from 'vitest'
import { api, apiMetadata, protectedApp } from './protected-app.js'

/** Routes as a host has them. */
function notes(app: FastifyInstance): void {
  app.get('/me', (request) => request.principal.subject)
  app.get('/notes', { config: { scopes: ['notes:read'] } }, (request) => request.principal.scopes)
  app.post('/notes', { config: { scopes: [['notes:read', 'notes:write'], ['admin']] } }, () => 'written')
}

describe('which routes', () => {
  const status = async (app: FastifyInstance, url: string, headers = {}) =>
    (await app.inject({ url, headers })).statusCode

  test('routes and contexts registered before and after are guarded, siblings are not', async () => {
    const { app, bearer } = await protectedApp(async (host, auth) => {
      host.get('/public', () => 'public')
      await host.register(protectedResourceMetadata, { auth })
      await host.register(
        async (inner) => {
          inner.get('/before', () => 'x')
          await inner.register((child, _options, done) => {
            child.get('/child-before', () => 'x')
            done()
          })
          await inner.register(protect, { auth })
          inner.get('/after', () => 'x')
          await inner.register((child, _options, done) => {
            child.get('/child-after', () => 'x')
            done()
          })
        },
        { prefix: '/api' },
      )
    }, 'bare')
    expect(await status(app, '/public')).toBe(200)
    const good = await bearer()
    for (const path of ['/api/before', '/api/child-before', '/api/after', '/api/child-after']) {
      expect(await status(app, path), path).toBe(401)
      expect(await status(app, path, good), path).toBe(200)
    }
  })

  test('the 404 of the guarded context needs a token, the 404 of others does not', async () => {
    const { app, bearer } = await protectedApp(notes)
    expect(await status(app, '/nowhere')).toBe(401)
    expect(await status(app, '/nowhere', await bearer())).toBe(404)
    const outside = await protectedApp(async (host, auth) => {
      await host.register(protectedResourceMetadata, { auth })
      await host.register(
        async (inner) => {
          await inner.register(protect, { auth })
          inner.setNotFoundHandler((_request, reply) => reply.code(404).send('inner'))
        },
        { prefix: '/api' },
      )
    }, 'bare')
    expect(await status(outside.app, '/nowhere')).toBe(404)
    expect(await status(outside.app, '/api/nowhere')).toBe(401)
    expect(await status(outside.app, '/api/nowhere', await outside.bearer())).toBe(404)
  })

  test('A48 siblings have guards of their own, and their tokens do not cross', async () => {
    const second = 'https://api.example.com/second'
    const { app, bearer } = await protectedApp(async (host, auth) => {
      const other = jwtResourceServer({
        resource: second,
        issuer: auth.issuers[0] ?? '',
        allowLoopbackHttp: true,
      })
      host.addHook('onClose', () => other.close())
      for (const [path, guard] of [
        ['/a', auth],
        ['/b', other],
      ] as const) {
        await host.register(async (inner) => {
          await inner.register(protect, { auth: guard })
          inner.get(path, ({ principal }) => principal.subject)
        })
      }
    }, 'bare')
    const first = await bearer()
    const crossed = await bearer([], second)
    expect(await status(app, '/a', first)).toBe(200)
    expect(await status(app, '/b', crossed)).toBe(200)
    expect(await status(app, '/a', crossed)).toBe(401)
    expect(await status(app, '/b', first)).toBe(401)
    expect((await app.inject('/b')).headers['www-authenticate']).toContain('oauth-protected-resource/second')
  })

  test('a guard inside or around another one stops the start, in either order', async () => {
    const inside = protectedApp((host, auth) => host.register((inner) => inner.register(protect, { auth })))
    await expect(inside).rejects.toMatchObject({ code: 'ERR_OPTION' })
    const around = await protectedApp(async (host, auth) => {
      await host.register(async (inner) => inner.register(protect, { auth }))
      await host.register(protect, { auth })
    }, 'bare')
    await expect(around.app.ready()).rejects.toMatchObject({ code: 'ERR_OPTION' })
  })

  test('an MCP endpoint in a guarded context keeps its own guard, an open one gets this one', async () => {
    const { app, bearer } = await protectedApp(async (host, auth) => {
      const auth2 = jwtResourceServer({
        resource: 'https://api.example.com/mcp',
        issuer: auth.issuers[0] ?? '',
        allowLoopbackHttp: true,
      })
      host.addHook('onClose', () => auth2.close())
      await host.register(mcp, { path: '/mcp', name: 'a', version: '1', auth: auth2 })
      await host.register(mcp, { path: '/open', name: 'b', version: '1', auth: 'none' })
    })
    const challenge = async (url: string, headers = {}) =>
      (await app.inject({ method: 'POST', url, headers })).headers['www-authenticate']
    expect(await challenge('/mcp')).toContain('/oauth-protected-resource/mcp"')
    expect(await challenge('/open')).toContain('/oauth-protected-resource/api"')
    expect(await challenge('/mcp', await bearer([], 'https://api.example.com/mcp'))).toBeUndefined()
  })

  test('A46 the metadata documents of all resources need no token', async () => {
    const { app } = await protectedApp(notes)
    const { pathname } = new URL(apiMetadata)
    expect((await app.inject(pathname)).json()).toMatchObject({ resource: api })
    expect((await app.inject({ method: 'OPTIONS', url: pathname })).statusCode).toBe(204)
    expect((await app.inject({ method: 'POST', url: pathname })).statusCode).toBe(405)
  })

  test('A40 under a prefix the root must serve the metadata', async () => {
    const { app } = await protectedApp(
      (host, auth) => host.register((inner) => inner.register(protect, { auth }), { prefix: '/api' }),
      'bare',
    )
    await expect(app.ready()).rejects.toMatchObject({ code: 'ERR_OPTION' })
  })
})

describe('request.principal', () => {
  test('reading it on a route without a guard is an error, not undefined', async () => {
    const { app } = await protectedApp(async (host, auth) => {
      host.get('/public', (request) => request.principal.subject)
      await host.register(async (inner) => inner.register(protect, { auth }))
      await host.register((sibling, _options, done) => {
        sibling.get('/sibling', (request) => request.principal.subject)
        done()
      })
    }, 'bare')
    for (const url of ['/public', '/sibling']) {
      const answer = await app.inject(url)
      expect([answer.statusCode, answer.json().message]).toEqual([
        500,
        expect.stringContaining('request.principal') as unknown,
      ])
    }
  })

  test('it cannot be replaced where somebody was verified', async () => {
    const { app, bearer } = await protectedApp((host) => {
      host.get('/forge', (request) => {
        ;(request as { principal: unknown }).principal = { subject: 'root' }
        return request.principal.subject
      })
    })
    expect((await app.inject({ url: '/forge', headers: await bearer() })).statusCode).toBe(500)
  })

  test('what a hook before the guard wrote under the name is gone where somebody was verified', async () => {
    const { app, bearer } = await protectedApp(async (host, auth) => {
      host.addHook('onRequest', (request, _reply, done) => {
        ;(request as { principal: unknown }).principal = { subject: 'root', scopes: ['admin'] }
        done()
      })
      await host.register(protect, { auth })
      notes(host)
    }, 'bare')
    expect((await app.inject({ url: '/me', headers: await bearer() })).body).toBe('alice')
  })

  test('a host that uses the name keeps it elsewhere, and is told where both would clash', async () => {
    const own = (app: FastifyInstance) => {
      app.decorateRequest('principal' as never, 'mine' as never)
      app.get('/own', (request) => request.principal as unknown as string)
    }
    const { app } = await protectedApp(async (host, auth) => {
      await host.register((sibling, _options, done) => {
        own(sibling)
        done()
      })
      await host.register(async (inner) => inner.register(protect, { auth }))
    }, 'bare')
    expect((await app.inject('/own')).body).toBe('mine')
    const clash = protectedApp(async (host, auth) => {
      own(host)
      await host.register(protect, { auth })
    }, 'bare')
    await expect(clash).rejects.toMatchObject({ code: 'ERR_OPTION' })
  })
})

describe('browsers', () => {
  const origin = 'https://app.example.com'
  const preflight = {
    method: 'OPTIONS',
    url: '/notes',
    headers: { origin, 'access-control-request-method': 'GET' },
  } as const
  const access = { origin: [origin], exposedHeaders: ['WWW-Authenticate'] }

  test('A11 A105 A106 A109 with cors before it, preflights pass and every rejection can be read', async () => {
    const corsFirst = async (host: FastifyInstance, auth: ResourceServer) => {
      await host.register(cors, access)
      await host.register(protect, { auth })
      notes(host)
    }
    const readableOutage = async () => {
      const sick = await protectedApp(corsFirst, 'bare')
      sick.as.fault('jwks', 'outage')
      const answer = await sick.app.inject({ url: '/me', headers: { origin, ...(await sick.bearer()) } })
      return [answer.statusCode, answer.headers['access-control-allow-origin']]
    }
    const { app, bearer } = await protectedApp(corsFirst, 'bare')
    const allowed = await app.inject(preflight)
    expect([allowed.statusCode, allowed.headers['access-control-allow-origin']]).toEqual([204, origin])
    const readable = async (headers: Record<string, string>, status: number) => {
      const answer = await app.inject({ url: '/notes', headers: { origin, ...headers } })
      expect(answer.statusCode).toBe(status)
      expect(answer.headers['access-control-allow-origin']).toBe(origin)
      expect(answer.headers['access-control-expose-headers']).toContain('WWW-Authenticate')
    }
    await readable({}, 401)
    await readable(await bearer(['other']), 403)
    await readable(await bearer(['notes:read']), 200)
    expect(await readableOutage()).toEqual([503, origin])
  })

  test('A105 with cors after it, a preflight is turned away rather than let through', async () => {
    const lines: string[] = []
    const logger = { stream: { write: (line: string) => void lines.push(line) } }
    const corsLast = async (host: FastifyInstance) => {
      await host.register(cors, access)
      notes(host)
    }
    const { app } = await protectedApp(corsLast, {}, { logger })
    expect((await app.inject(preflight)).statusCode).toBe(401)
    expect(lines.filter((line) => line.includes('@fastify/cors comes after it'))).toHaveLength(1)
  })

  test('A11 an OPTIONS that is no preflight needs a token', async () => {
    const { app } = await protectedApp((host) => host.options('/x', () => 'secret'))
    expect((await app.inject({ method: 'OPTIONS', url: '/x' })).statusCode).toBe(401)
    expect((await app.inject({ ...preflight, url: '/x' })).statusCode).toBe(401)
  })
})

describe('options', () => {
  test('A7 auth cannot be left out', async () => {
    const options = [{}, { auth: 'none' }, { auth: undefined }] as unknown as { auth: ResourceServer }[]
    for (const wrong of options) {
      const app = Fastify()
      await expect(app.register(protect, wrong)).rejects.toMatchObject({ code: 'ERR_OPTION' })
    }
  })

  test('wrong options of protectedResourceMetadata stop the start', async () => {
    const start = protectedApp(
      (host, auth) => host.register(protectedResourceMetadata, { auth, basicScopes: ['a b'] }),
      'bare',
    )
    await expect(start).rejects.toMatchObject({ code: 'ERR_OPTION' })
  })

  test('wrong values stop the start', async () => {
    for (const wrong of [{ basicScopes: ['a b'] }, { publicUrl: 'https://x' }]) {
      await expect(protectedApp(notes, wrong as never)).rejects.toMatchObject({ code: 'ERR_OPTION' })
    }
  })
})
