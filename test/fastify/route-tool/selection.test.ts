import Fastify, { type FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import mcp, { routeCollector, routeTool, routeTools } from 'castellan/fastify'
import { described, exposed, refusal } from './exposed-app.js'

const get = routeTool({ method: 'GET', url: '/x', name: 'get', description: 'Gets' })
const operation = (operationId: string, tags = ['mcp']) => described({ operationId, summary: 'Does', tags })

async function names(app: FastifyInstance): Promise<string[]> {
  const answer = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { 'content-type': 'application/json' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  })
  return answer.json().result.tools.map(({ name }: { name: string }) => name)
}

test('a route stands before or after the endpoint, in any context', async () => {
  const app = Fastify()
  await app.register(routeCollector)
  app.get('/before', { schema: operation('before') }, () => '')
  await app.register(mcp, {
    path: '/mcp',
    name: 't',
    version: '1',
    auth: 'none',
    tools: [routeTools({ tag: 'mcp' })],
  })
  app.get('/after', { schema: operation('after') }, () => '')
  app.register(
    (inner, _options, done) => {
      inner.get('/', { schema: operation('inner') }, () => '')
      done()
    },
    { prefix: '/v1' },
  )
  await app.ready()
  expect(await names(app)).toEqual(['before', 'after', 'inner'])
})

test('what the route says of itself is what the tool says', async () => {
  const { tool } = await exposed({
    routes: (app) => {
      const schema = described({ operationId: 'say', summary: 'Short', description: 'Long', tags: ['mcp'] })
      app.route({ method: ['GET'], url: '/x', schema, handler: () => '' })
      app.put('/x', { schema: operation('put') }, () => '')
      app.post('/x', { schema: operation('post') }, () => '')
      app.delete('/x', { schema: operation('delete') }, () => '')
    },
    tools: [
      routeTools({ tag: 'mcp' }),
      routeTool({
        method: 'DELETE',
        url: '/x',
        name: 'soft',
        title: 'T',
        description: 'D',
        annotations: { destructiveHint: false },
      }),
    ],
  })
  expect(await tool('say')).toMatchObject({
    title: 'Short',
    description: 'Long',
    annotations: { readOnlyHint: true },
  })
  expect((await tool('put')).annotations).toEqual({ idempotentHint: true })
  expect((await tool('post')).annotations).toEqual({})
  expect((await tool('delete')).annotations).toEqual({ destructiveHint: true, idempotentHint: true })
  expect(await tool('soft')).toMatchObject({
    title: 'T',
    description: 'D',
    annotations: { destructiveHint: false, idempotentHint: true },
  })
})

test('a predicate sees every route but those of MCP, HEAD and OPTIONS', async () => {
  const asked: string[] = []
  const where = ({
    method,
    url,
    operationId,
    tags,
  }: {
    method: string
    url: string
    operationId?: string | undefined
    tags: readonly string[]
  }) => {
    asked.push(`${method} ${url} ${operationId ?? ''} ${tags.join()}`)
    return operationId !== undefined
  }
  const { app } = await exposed({
    routes: (host) => {
      host.get('/x', { schema: operation('get_x', ['a', 'b']) }, () => '')
      host.options('/x', () => '')
      host.post('/y', () => '')
    },
    tools: [routeTools({ where })],
  })
  expect(asked).toEqual(['GET /x get_x a,b', 'POST /y  '])
  expect(await names(app)).toEqual(['get_x'])
})

test('what is exposed is logged once at the start, for review', async () => {
  const { log } = await exposed({
    routes: (app) => {
      app.get('/x', { schema: operation('get_x') }, () => '')
      app.delete('/x', () => '')
    },
    tools: [
      routeTools({ tag: 'mcp' }),
      routeTool({ method: 'DELETE', url: '/x', name: 'remove', description: 'Removes' }),
    ],
  })
  const lines = log.filter(({ msg }) => msg === 'Routes exposed as MCP tools')
  expect(lines.map(({ level, routes }) => ({ level, routes }))).toEqual([
    {
      level: 30,
      routes: [
        { method: 'GET', url: '/x', tool: 'get_x', readOnly: true },
        { method: 'DELETE', url: '/x', tool: 'remove', readOnly: false },
      ],
    },
  ])
})

test('a value that spells another route reaches nothing', async () => {
  let reached = 0
  const { call, text } = await exposed({
    routes: (app) => {
      app.get<{ Params: { id: string } }>('/x/:id', ({ params }) => params.id)
      app.get('/x/export', () => String(reached++))
      app.get('/x/:id(^\\d+$)', () => String(reached++))
    },
    tools: [routeTool({ method: 'GET', url: '/x/:id', name: 'get', description: 'Gets' })],
  })
  for (const id of ['export', '42']) {
    expect(await call('get', { id })).toMatchObject({
      isError: true,
      content: [{ text: `Route GET:/x/${id} not found` }],
    })
  }
  expect(reached).toBe(0)
  expect(await text('get', { id: 'other' })).toBe('other')
})

test('an ordinary request is not kept from any route', async () => {
  const { app } = await exposed({
    routes: (host) => host.get('/x/export', () => 'ok').get('/x', () => ''),
    tools: [get],
  })
  expect((await app.inject('/x/export')).body).toBe('ok')
})

test.each([
  ['a wildcard', '/x/*', {}],
  ['a pattern', '/x/:id(^\\d+$)', {}],
  ['an optional parameter', '/x/:id?', {}],
  ['two parameters in one segment', '/x/:a-:b', {}],
  ['a partial parameter', '/x/id-:id', {}],
  ['a constraint of host', '/x', { constraints: { host: 'example.com' } }],
  ['a constraint of version', '/x', { constraints: { version: '1.0.0' } }],
])('a route with %s is refused', async (_name, url, options) => {
  const tool = routeTool({ method: 'GET', url, name: 'get', description: 'Gets' })
  expect(await refusal((app) => app.get(url, options, () => ''), [tool])).toMatchObject({
    code: 'ERR_DEFINITION',
    message: expect.stringMatching(/cannot be a tool$/),
  })
})

test.each([
  ['HEAD', { method: 'HEAD', url: '/x' }, /only GET, POST, PUT, PATCH, DELETE can be a tool/],
  ['OPTIONS', { method: 'OPTIONS', url: '/x' }, /only GET, POST, PUT, PATCH, DELETE can be a tool/],
  [
    'nothing that is there',
    { method: 'GET', url: '/nowhere' },
    /no such route; write the URL with its prefix/,
  ],
  ['the endpoint itself', { method: 'POST', url: '/mcp' }, /a route of MCP itself cannot be a tool/],
])('a tool of %s is refused', async (_name, route, message) => {
  const tool = routeTool({ name: 'x', description: 'x', ...(route as { method: 'GET'; url: string }) })
  expect(await refusal((app) => app.get('/x', () => ''), [tool])).toMatchObject({
    code: 'ERR_OPTION',
    message: expect.stringMatching(message),
  })
})

test.each([
  ['a name', { summary: 'x', tags: ['mcp'] }, /a tool needs a name: give `name`, or schema.operationId/],
  ['a description', { operationId: 'x', tags: ['mcp'] }, /a tool needs a description/],
])('a route without %s is refused', async (_name, schema, message) => {
  const routes = (app: FastifyInstance) => app.get('/x', { schema: described(schema) }, () => '')
  expect((await refusal(routes, [routeTools({ tag: 'mcp' })])).message).toMatch(message)
})

test('two tools of one name are refused', async () => {
  const routes = (app: FastifyInstance) => app.get('/x', { schema: operation('get') }, () => '')
  expect((await refusal(routes, [get, routeTools({ tag: 'mcp' })])).message).toBe('tool "get" stands twice')
})

test.each([
  ['routeTools without a choice', () => routeTools({}), /`tag` or `where`/],
  ['routeTools with an empty tag', () => routeTools({ tag: '' }), /`tag` or `where`/],
  ['routeTool without a route', () => routeTool({ name: 'x' } as never), /`method` and `url`/],
  ['a limit of nothing', () => routeTools({ tag: 'a', answerLimit: 0 }), /`answerLimit`/],
])('%s is refused where it is written', (_name, make, message) => {
  expect(make).toThrow(
    expect.objectContaining({ code: 'ERR_OPTION', message: expect.stringMatching(message) }),
  )
})

const rule = /`await app.register\(routeCollector\)` .*root of the app, before every route/

test('without the collector, after a route or in a context below, the start fails with that sentence', async () => {
  const missing = Fastify()
  missing.register(mcp, { path: '/mcp', name: 't', version: '1', auth: 'none', tools: [get] })
  await expect(missing.ready()).rejects.toThrow(rule)
  const late = Fastify()
  late.get('/x', () => '')
  late.register(routeCollector)
  await expect(late.ready()).rejects.toThrow(rule)
  const below = Fastify()
  below.register(async (inner) => {
    await inner.register(routeCollector)
  })
  await expect(below.ready()).rejects.toThrow(rule)
})
