import fc from 'fast-check'
import { expect, test } from 'vitest'
import { routeTool } from 'castellan/fastify'
import { bracketParser } from './bracket-parser.js'
import { exposed, refusal } from './exposed-app.js'

const search = routeTool({ method: 'GET', url: '/items', name: 'search', description: 'Searches' })
const item = routeTool({ method: 'GET', url: '/items/:id', name: 'item', description: 'One item' })

const awkward = [
  'a/b',
  '%',
  '%2e%2e',
  '%2F',
  'ü ß',
  '日本',
  '🎈',
  'a?b#c',
  ' ',
  '...',
  '..a',
  ';x',
  '\\',
  'a+b',
  '*',
  ':id',
]

test.each(awkward)('the path parameter %j arrives as it was written', async (value) => {
  const { text } = await exposed({
    routes: (app) => app.get<{ Params: { id: string } }>('/items/:id/x', ({ params }) => `<${params.id}>`),
    tools: [routeTool({ method: 'GET', url: '/items/:id/x', name: 'item', description: 'One' })],
  })
  expect(await text('item', { id: value })).toBe(`<${value}>`)
})

test.each(['', '.', '..', '\ud800', { a: 1 }, ['a'], null])(
  'the path parameter %j cannot stand in a path and reaches nothing',
  async (value) => {
    let reached = 0
    const { call } = await exposed({
      routes: (app) => {
        app.addHook('onRequest', (request, _reply, done) => {
          if (request.url !== '/mcp') reached++
          done()
        })
        app.get('/items/:id', () => '')
        app.get('/', () => '')
      },
      tools: [item],
    })
    const result = await call('item', { id: value })
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toMatch(/^Invalid arguments: id: /)
    expect(reached).toBe(0)
  },
)

test('any text but dots arrives as it was written', async () => {
  const { text } = await exposed({
    routes: (app) => app.get<{ Params: { id: string } }>('/items/:id', ({ params }) => `<${params.id}>`),
    tools: [item],
    fastify: { routerOptions: { maxParamLength: 1000 } },
  })
  const value = fc.string({ unit: 'grapheme', minLength: 1 }).filter((id) => !['.', '..'].includes(id))
  await fc.assert(
    fc.asyncProperty(value, async (id) => {
      expect(await text('item', { id })).toBe(`<${id}>`)
    }),
    { numRuns: 200 },
  )
})

const parsers = [
  ['the default parser', undefined],
  ['a parser of brackets', bracketParser],
] as const

test.each(parsers)('lists in a query are written as %s reads them', async (_name, querystringParser) => {
  const { text } = await exposed({
    routes: (app) =>
      app.get(
        '/items',
        {
          schema: {
            querystring: {
              type: 'object',
              properties: { tag: { type: 'array', items: { type: 'string' } } },
            },
          },
        },
        ({ query }) => query,
      ),
    tools: [search],
    fastify: querystringParser === undefined ? {} : { routerOptions: { querystringParser } },
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }),
      async (tag) => {
        expect(JSON.parse(await text('search', { tag }))).toEqual({ tag })
      },
    ),
    { numRuns: 50 },
  )
  expect(JSON.parse(await text('search', { tag: [] }))).toEqual({})
})

const nested = {
  type: 'object',
  properties: {
    price: {
      type: 'object',
      properties: { from: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
    },
  },
}

test('objects in a query are written as the parser reads them, and refused where it reads none', async () => {
  const routes = (app: any) =>
    app.get('/items', { schema: { querystring: nested } }, ({ query }: any) => query)
  const parser = { routerOptions: { querystringParser: bracketParser } }
  const { text } = await exposed({ routes, tools: [search], fastify: parser })
  const price = { from: 3, tags: ['a&b', 'c'] }
  expect(JSON.parse(await text('search', { price }))).toEqual({ price })
  expect(await refusal(routes, [search])).toMatchObject({
    code: 'ERR_DEFINITION',
    message: expect.stringContaining("price is nested more deeply than the app's querystring parser reads"),
  })
})
