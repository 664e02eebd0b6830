import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import mcp, { protect, routeCollector, routeTool, routeTools, type McpOptions } from 'castellan/fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import { testAuthorizationServer } from 'castellan/testing'
import Fastify from 'fastify'
import { modern } from '../../wire.js'
import { described, exposed, refusal } from './exposed-app.js'

const resource = 'https://api.example.com/mcp'

/** An app whose routes are under `protect`, beside an endpoint with the same resource server. */
async function guarded(routes: (api: FastifyInstance) => unknown, tools: NonNullable<McpOptions['tools']>) {
  const as = await testAuthorizationServer()
  const auth = jwtResourceServer({ resource, issuer: as.issuer, allowLoopbackHttp: true })
  const log: string[] = []
  const app = Fastify({
    logger: { level: 'trace', stream: { write: (line: string) => void log.push(line) } },
  })
  await app.register(routeCollector)
  await app.register(mcp, { path: '/mcp', name: 'test', version: '1.0.0', auth, tools })
  await app.register(async (api) => {
    await api.register(protect, { auth })
    await routes(api)
  })
  await app.ready()
  onTestFinished(async () => {
    await app.close()
    await auth.close()
    await as.close()
  })
  const call = async (name: string, scopes: string[], args: object = {}, subject = 'alice') => {
    const token = await as.mint({ resource, scopes, subject })
    const { body, headers } = modern('tools/call', { name, arguments: args })
    return app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        cookie: 'session=1',
        'x-forwarded-for': '10.1.1.1',
      },
      payload: JSON.stringify(body),
    })
  }
  return { app, call, log }
}

const get = routeTool({ method: 'GET', url: '/x', name: 'get', description: 'Gets' })
const reading = { config: { scopes: ['x:read'] } }

test('the verified principal arrives at the route, and the scopes of the route are those of the tool', async () => {
  const { call } = await guarded(
    (api) =>
      api.get('/x', reading, ({ principal }) => ({ who: principal.subject, scopes: principal.scopes })),
    [get],
  )
  const good = await call('get', ['x:read'])
  expect(good.json().result.content[0].text).toBe('{"who":"alice","scopes":["x:read"]}')
  const refused = await call('get', ['other'])
  expect(refused.statusCode).toBe(403)
  expect(refused.headers['www-authenticate']).toMatch(/error="insufficient_scope".*scope="x:read"/)
})

test('G24: nothing of the caller but its principal reaches the route, and its log', async () => {
  let seen: any
  const { call, log } = await guarded(
    (api) =>
      api.get('/x', reading, ({ headers, raw, ip, id, principal }) => {
        seen = { headers, rawHeaders: raw.rawHeaders, ip, id, principal }
        return 'ok'
      }),
    [get],
  )
  const answer = await call('get', ['x:read'])
  expect(answer.json().result.content[0].text).toBe('ok')
  expect(seen.headers).toEqual({
    accept: 'application/json',
    'user-agent': 'castellan',
    host: 'localhost:80',
  })
  expect(seen.ip).toBe('0.0.0.0')
  expect(JSON.stringify(seen)).not.toMatch(/eyJ|Bearer|session=1|10\.1\.1\.1/)
  expect(log.join('')).toContain('incoming request')
  expect(log.join('')).not.toMatch(/eyJ|Bearer|session=1|10\.1\.1\.1/)
  expect(seen.id).toMatch(/^req-/)
})

test('A22 A35 F35: what the route refuses is a tool error and never a challenge', async () => {
  const { call } = await guarded(
    (api) => {
      api.get('/x', reading, (_request, reply) =>
        reply.code(401).header('www-authenticate', 'Bearer scope="all"').send({ message: 'Not you' }),
      )
      api.get('/y', { config: { scopes: ['y:admin'] } }, () => 'reached')
    },
    [get, routeTool({ method: 'GET', url: '/y', name: 'weak', description: 'x', scopes: [] })],
  )
  for (const [name, message] of [
    ['get', 'Not you'],
    ['weak', 'The route answered 403 Forbidden'],
  ] as const) {
    const answer = await call(name, ['x:read'])
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).not.toHaveProperty('www-authenticate')
    expect(answer.json().result).toMatchObject({ isError: true, content: [{ text: message }] })
    expect(answer.body).not.toMatch(/scope|Bearer/)
  }
})

test('a request the route injects itself inherits nothing', async () => {
  let inner: number | undefined
  const { call } = await guarded(
    (api) => {
      api.get('/x', reading, async () => {
        inner = (await api.inject('/y')).statusCode
        return 'ok'
      })
      api.get('/y', reading, () => 'reached')
    },
    [get],
  )
  expect((await call('get', ['x:read'])).json().result.content[0].text).toBe('ok')
  expect(inner).toBe(401)
})

test('many calls at once each have their own principal and arguments', async () => {
  const { call } = await guarded(
    (api) =>
      api.get<{ Params: { id: string } }>('/x/:id', reading, async ({ principal, params }) => {
        await new Promise((later) => setImmediate(later))
        return `${principal.subject} ${params.id}`
      }),
    [routeTool({ method: 'GET', url: '/x/:id', name: 'get', description: 'Gets' })],
  )
  const names = Array.from({ length: 50 }, (_, index) => `user-${index}`)
  const answers = await Promise.all(names.map((name) => call('get', ['x:read'], { id: `of-${name}` }, name)))
  expect(answers.map((answer) => answer.json().result.content[0].text)).toEqual(
    names.map((name) => `${name} of-${name}`),
  )
})

test('on a guarded server somebody must say the scopes', async () => {
  await expect(guarded((api) => api.get('/x', () => ''), [get])).rejects.toMatchObject({
    code: 'ERR_DEFINITION',
    message: expect.stringContaining('route GET /x: say which scopes it needs'),
  })
  const said = routeTool({ method: 'GET', url: '/x', name: 'get', description: 'Gets', scopes: [] })
  const { call } = await guarded((api) => api.get('/x', () => 'ok'), [said])
  expect((await call('get', [])).json().result.content[0].text).toBe('ok')
})

test.each([
  ['declares scopes', reading, false],
  ['is under protect', {}, true],
])("a route that %s is refused where auth is 'none'", async (_name, options, underProtect) => {
  const auth = jwtResourceServer({ resource, issuer: 'https://login.example.com' })
  onTestFinished(() => auth.close())
  const routes = async (app: FastifyInstance) => {
    await app.register(async (api) => {
      if (underProtect) await api.register(protect, { auth })
      api.get('/x', options, () => '')
    })
  }
  expect(await refusal(routes, [get])).toMatchObject({
    code: 'ERR_DEFINITION',
    message: expect.stringContaining("route GET /x: it is protected, but auth is 'none'"),
  })
})

test('G6 a route that another resource server protects is refused: its tokens and claims are not those of the endpoint', async () => {
  const issuer = 'https://login.example.com'
  const [auth, other] = [resource, 'https://api.example.com/rest'].map((each) =>
    jwtResourceServer({ resource: each, issuer }),
  )
  if (auth === undefined || other === undefined) throw new Error('unreachable')
  onTestFinished(async () => {
    await Promise.all([auth.close(), other.close()])
  })
  const app = Fastify()
  await app.register(routeCollector)
  await app.register(mcp, { path: '/mcp', name: 'test', version: '1.0.0', auth, tools: [get] })
  await app.register(async (api) => {
    await api.register(protect, { auth: other })
    api.get('/x', reading, () => '')
  })
  await expect(app.ready()).rejects.toMatchObject({
    code: 'ERR_DEFINITION',
    message: expect.stringContaining('route GET /x: it is protected by another resource server'),
  })
})

test('every hook of the app runs for the request of a tool, in its order', async () => {
  const ran: string[] = []
  const { text } = await exposed({
    routes: (app) => {
      const note =
        (name: string) =>
        (request: { url: string }, _reply: unknown, ...rest: any[]) => {
          if (request.url === '/x') ran.push(name)
          rest.at(-1)(null, rest.length > 1 ? rest[0] : undefined)
        }
      for (const hook of [
        'onRequest',
        'preParsing',
        'preValidation',
        'preHandler',
        'preSerialization',
        'onSend',
        'onResponse',
      ] as const)
        app.addHook(hook, note(hook) as never)
      app.get('/x', () => ({ a: 1 }))
    },
    tools: [get],
  })
  expect(await text('get')).toBe('{"a":1}')
  await new Promise((later) => setImmediate(later))
  expect(ran).toEqual([
    'onRequest',
    'preParsing',
    'preValidation',
    'preHandler',
    'preSerialization',
    'onSend',
    'onResponse',
  ])
})

test('a tag takes the routes of protected contexts with their scopes', async () => {
  const { call } = await guarded(
    (api) => {
      const schema = described({ operationId: 'tagged', summary: 'Tagged', tags: ['mcp'] })
      api.get('/x', { ...reading, schema }, () => 'ok')
    },
    [routeTools({ tag: 'mcp' })],
  )
  expect((await call('tagged', [])).statusCode).toBe(403)
  expect((await call('tagged', ['x:read'])).json().result.content[0].text).toBe('ok')
})
