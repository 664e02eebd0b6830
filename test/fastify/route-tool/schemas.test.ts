import { expect, test } from 'vitest'
import { routeTool } from 'castellan/fastify'
import { exposed, refusal, strings } from './exposed-app.js'

const search = routeTool({ method: 'GET', url: '/items', name: 'search', description: 'Searches' })
const add = routeTool({ method: 'POST', url: '/items/:id', name: 'add', description: 'Adds' })

test('schemas of addSchema are part of what is advertised', async () => {
  const { tool, text } = await exposed({
    routes: (app) => {
      app.addSchema({
        $id: 'https://example.com/money',
        type: 'object',
        properties: { cents: { $ref: '#/definitions/n' } },
        definitions: { n: { type: 'integer' } },
      })
      app.addSchema({ $id: 'item', ...strings('name'), required: ['name'] })
      app.register((inner, _options, done) => {
        inner.addSchema({
          $id: 'new',
          type: 'object',
          properties: {
            price: { $ref: 'https://example.com/money#' },
            name: { $ref: 'item#/properties/name' },
          },
        })
        inner.post('/items/:id', { schema: { body: { $ref: 'new#' } } }, ({ body }) => body)
        done()
      })
    },
    tools: [add],
  })
  const { properties, $defs } = (await tool('add')).inputSchema
  expect(Object.keys(properties)).toEqual(['id', 'price', 'name'])
  expect(properties.price.$ref).toMatch(/^#\/\$defs\/shared\d$/)
  expect(Object.keys($defs)).toHaveLength(2)
  expect(JSON.parse(await text('add', { id: 'x', price: { cents: 5 } }))).toEqual({ price: { cents: 5 } })
})

test('a schema that refers to itself stays finite', async () => {
  const tree = {
    $id: 'tree',
    type: 'object',
    properties: { children: { type: 'array', items: { $ref: '#' } } },
  }
  const { tool } = await exposed({
    routes: (app) =>
      app.addSchema(tree).post('/items/:id', { schema: { body: { $ref: 'tree#' } } }, ({ body }) => body),
    tools: [add],
  })
  const { properties, $defs } = (await tool('add')).inputSchema
  const { $ref } = properties.children.items
  expect($defs[$ref.split('/')[2]].properties.children.items).toEqual({ $ref })
})

test.each([
  [
    'draft-07 tuples',
    { type: 'array', items: [{ type: 'string' }], additionalItems: false },
    { type: 'array', prefixItems: [{ type: 'string' }], items: false },
  ],
  ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  [
    'dependencies',
    { type: 'object', dependencies: { a: ['b'] } },
    { type: 'object', dependentRequired: { a: ['b'] }, dependentSchemas: {} },
  ],
  [
    'a dialect named inside',
    { $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' },
    { type: 'string' },
  ],
  ['a mirrored parameter', { type: 'string', 'x-mcp-header': 'Name' }, { type: 'string' }],
])('%s of the route is advertised in JSON Schema 2020-12', async (_name, given, advertised) => {
  const { tool } = await exposed({
    routes: (app) =>
      app.post(
        '/items/:id',
        {
          schema: { body: { type: 'object', properties: { x: given } } },
          validatorCompiler: () => () => true,
        },
        () => '',
      ),
    tools: [add],
  })
  expect((await tool('add')).inputSchema.properties.x).toEqual(advertised)
})

test.each([
  [
    'a reference to nobody',
    { type: 'object', properties: { a: { $ref: 'nobody#' } } },
    /reference nobody# leads to no schema/,
  ],
  [
    'a pattern that JSON Schema cannot read',
    { type: 'object', properties: { a: { type: 'string', pattern: '\\-' } } },
    /regular expression/,
  ],
  [
    'a schema of another library',
    { '~standard': { version: 1, vendor: 'other' } },
    /neither JSON Schema nor a zod 4 schema/,
  ],
  [
    'a property __proto__',
    { type: 'object', properties: JSON.parse('{"__proto__":{"type":"string"}}') },
    /__proto__/,
  ],
])('%s in the body is refused', async (_name, body, message) => {
  const routes = (app: any) =>
    app.post('/items/:id', { schema: { body }, validatorCompiler: () => () => true }, () => '')
  expect(await refusal(routes, [add])).toMatchObject({
    code: 'ERR_DEFINITION',
    message: expect.stringMatching(message),
  })
})

test('a query of alternatives is refused', async () => {
  const routes = (app: any) =>
    app.get(
      '/items',
      { schema: { querystring: { type: 'object', anyOf: [strings('a'), strings('b')] } } },
      () => '',
    )
  expect((await refusal(routes, [search])).message).toMatch(
    /querystring must be an object with named properties/,
  )
})

test('a body that is no JSON is refused', async () => {
  const body = { content: { 'multipart/form-data': { schema: strings('file') } } }
  const routes = (app: any) => app.post('/items/:id', { schema: { body } }, () => '')
  expect((await refusal(routes, [add])).message).toMatch(/takes multipart\/form-data; a tool sends JSON/)
})
