import { expect, test } from 'vitest'
import { z } from 'zod'
import { routeTool, routeTools } from 'castellan/fastify'
import { described, exposed, refusal, strings } from './exposed-app.js'

const search = routeTool({ method: 'GET', url: '/items', name: 'search', description: 'Searches' })
const item = routeTool({ method: 'GET', url: '/items/:id', name: 'item', description: 'One item' })
const add = routeTool({ method: 'POST', url: '/items/:id', name: 'add', description: 'Adds' })

test('parameters, query and body of a route are one flat object of arguments', async () => {
  const { tool, call } = await exposed({
    routes: (app) =>
      app.post(
        '/items/:id',
        {
          schema: {
            params: { type: 'object', properties: { id: { type: 'integer', description: 'Which' } } },
            querystring: { type: 'object', properties: { dry: { type: 'boolean', default: false } } },
            headers: strings('x-secret'),
            body: {
              type: 'object',
              properties: { text: { type: 'string', minLength: 1 }, count: { type: 'integer' } },
              required: ['text'],
            },
          },
        },
        (request) => ({ params: request.params, query: request.query, body: request.body }),
      ),
    tools: [add],
  })
  expect((await tool('add')).inputSchema).toEqual({
    type: 'object',
    properties: {
      id: { type: 'integer', description: 'Which' },
      dry: { type: 'boolean', default: false },
      text: { type: 'string', minLength: 1 },
      count: { type: 'integer' },
    },
    required: ['id', 'text'],
    additionalProperties: false,
  })
  const result = await call('add', { id: 7, dry: true, text: 'x' })
  expect(JSON.parse(result.content[0].text)).toEqual({
    params: { id: 7 },
    query: { dry: true },
    body: { text: 'x' },
  })
})

test('a zod 4 schema of a route is advertised as its JSON Schema', async () => {
  const { tool, text } = await exposed({
    routes: (app) => {
      app.setValidatorCompiler(({ schema }) => (data) => {
        const { error, data: value } = (schema as z.ZodType).safeParse(data)
        return error === undefined ? { value } : { error }
      })
      app.post(
        '/items/:id',
        {
          schema: {
            params: z.object({ id: z.coerce.number().int() }),
            body: z.object({ text: z.string().max(5), kind: z.enum(['a', 'b']).default('a') }),
          },
        },
        (request) => ({ params: request.params, body: request.body }),
      )
    },
    tools: [add],
  })
  const { properties, required } = (await tool('add')).inputSchema
  expect(properties.text).toEqual({ type: 'string', maxLength: 5 })
  expect(properties.kind).toEqual({ type: 'string', enum: ['a', 'b'], default: 'a' })
  expect(properties.id).toMatchObject({ type: 'integer' })
  expect(required).toEqual(['id', 'text'])
  expect(JSON.parse(await text('add', { id: 7, text: 'x' }))).toEqual({
    params: { id: 7 },
    body: { text: 'x', kind: 'a' },
  })
})

test('path parameters without a schema are required text', async () => {
  const { tool } = await exposed({ routes: (app) => app.get('/items/:id', () => ''), tools: [item] })
  expect((await tool('item')).inputSchema).toEqual({
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: false,
  })
})

test.each([
  ['a list', { type: 'array', items: { type: 'integer' } }, [1, 2]],
  ['an object of any members', { type: 'object', additionalProperties: { type: 'integer' } }, { a: 1 }],
  ['alternatives', { oneOf: [strings('a'), { type: 'integer' }] }, 5],
  ['falsy', { type: 'boolean' }, false],
  ['nothing', { type: 'null' }, null],
])('a body that is %s is one argument', async (_name, body, value) => {
  const { text } = await exposed({
    routes: (app) => app.post('/items/:id', { schema: { body } }, (request) => JSON.stringify(request.body)),
    tools: [add],
  })
  expect(JSON.parse(await text('add', { id: 'x', body: value }))).toEqual(value)
})

test('two parts that use one name are refused, and `names` tells them apart', async () => {
  const routes = (app: any) =>
    app.post(
      '/items/:id',
      { schema: { querystring: strings('id'), body: strings('id') } },
      ({ params, query, body }: any) => ({ params, query, body }),
    )
  expect((await refusal(routes, [add])).message).toMatch(
    /route POST \/items\/:id: querystring has a second id; .*names: { querystring/,
  )
  const named = routeTool({
    method: 'POST',
    url: '/items/:id',
    name: 'add',
    description: 'Adds',
    names: { querystring: { id: 'near' }, body: { id: 'newId' } },
  })
  const { call } = await exposed({ routes, tools: [named] })
  const result = await call('add', { id: 'a', near: 'b', newId: 'c' })
  expect(JSON.parse(result.content[0].text)).toEqual({
    params: { id: 'a' },
    query: { id: 'b' },
    body: { id: 'c' },
  })
})

test('a name for something the route does not have is refused', async () => {
  const wrong = routeTool({
    method: 'GET',
    url: '/items/:id',
    name: 'item',
    description: 'x',
    names: { querystring: { id: 'other' } },
  })
  const error = await refusal((app) => app.get('/items/:id', () => ''), [wrong])
  expect(error).toMatchObject({
    code: 'ERR_OPTION',
    message: expect.stringContaining('querystring has no id'),
  })
})

test('an argument no schema knows, and a missing one, reach nothing', async () => {
  const { text } = await exposed({
    routes: (app) => app.get('/items/:id', { schema: { querystring: strings('q') } }, () => 'reached'),
    tools: [item],
  })
  expect(await text('item', { id: 'a', other: 1 })).toBe(
    'Invalid arguments: other: is no argument of this tool',
  )
  expect(await text('item', {})).toBe('Invalid arguments: id: is missing')
  expect(await text('item', { id: 'a', q: 'x' })).toBe('reached')
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'G24: the argument %s is no way to a prototype',
  async (name) => {
    const { text } = await exposed({
      routes: (app) => app.get('/items', { schema: { querystring: strings('q') } }, () => 'reached'),
      tools: [search],
    })
    const args = JSON.parse(`{"${name}":{"q":"x"}}`) as Record<string, unknown>
    expect(await text('search', args)).toBe(`Invalid arguments: ${name}: is no argument of this tool`)
    expect(({} as any).q).toBeUndefined()
  },
)

test('members called as inherited ones are members like others', async () => {
  const { text } = await exposed({
    routes: (app) =>
      app.post('/items/:id', { schema: { body: strings('toString', 'valueOf') } }, ({ body }) => body),
    tools: [add],
    fastify: { ajv: { customOptions: { ownProperties: true } } },
  })
  expect(JSON.parse(await text('add', { id: 'x', toString: 'a' }))).toEqual({ toString: 'a' })
  expect(JSON.parse(await text('add', { id: 'x' }))).toEqual({})
})

test('routes of a tag share nothing but their tag', async () => {
  const { tool } = await exposed({
    routes: (app) => {
      const of = (operationId: string) => described({ operationId, summary: operationId, tags: ['mcp'] })
      app.get('/a', { schema: { ...of('list_a'), querystring: strings('q') } }, () => '')
      app.get('/b', { schema: of('list_b') }, () => '')
      app.get('/c', { schema: described({ operationId: 'list_c', summary: 'c' }) }, () => '')
    },
    tools: [routeTools({ tag: 'mcp' })],
  })
  expect(Object.keys((await tool('list_a')).inputSchema.properties)).toEqual(['q'])
  expect((await tool('list_b')).inputSchema).toMatchObject({ properties: {} })
  expect(await tool('list_c')).toBeUndefined()
})
