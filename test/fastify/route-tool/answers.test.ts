import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { routeTool } from 'castellan/fastify'
import { described, exposed, refusal, strings } from './exposed-app.js'

const get = routeTool({ method: 'GET', url: '/x', name: 'get', description: 'Gets' })
const remove = routeTool({ method: 'DELETE', url: '/x', name: 'remove', description: 'Removes' })
const note = { ...strings('text'), required: ['text'] }

const masked = { code: -32603, message: 'Internal error' }

test('the only 2xx answer of a route that is an object is structured', async () => {
  const { tool, call } = await exposed({
    routes: (app) =>
      app.get('/x', { schema: { response: { 200: note, 404: strings('message') } } }, () => ({
        text: 'a',
        secret: 'b',
      })),
    tools: [get],
  })
  expect((await tool('get')).outputSchema).toEqual(note)
  const result = await call('get')
  expect(result.structuredContent).toEqual({ text: 'a' })
  expect(result.isError ?? false).toBe(false)
})

test('an answer described by media type, and one of zod, are structured, too', async () => {
  const { tool, call } = await exposed({
    routes: (app) => {
      app.get(
        '/x',
        { schema: { response: { '2xx': { content: { 'application/json': { schema: note } } } } } },
        () => ({ text: 'a' }),
      )
      app.delete(
        '/x',
        {
          schema: { response: { 200: z.object({ gone: z.number() }) } },
          serializerCompiler: () => JSON.stringify,
        },
        () => ({ gone: 1 }),
      )
    },
    tools: [get, remove],
  })
  expect((await tool('get')).outputSchema).toEqual(note)
  expect((await call('get')).structuredContent).toEqual({ text: 'a' })
  expect((await tool('remove')).outputSchema).toMatchObject({ properties: { gone: { type: 'number' } } })
  expect((await call('remove')).structuredContent).toEqual({ gone: 1 })
})

test.each([
  ['no schema', undefined],
  ['a list', { 200: { type: 'array', items: note } }],
  ['several good answers', { 200: note, 201: strings('id') }],
  [
    'an answer JSON Schema 2020-12 cannot tell',
    { 200: { type: 'object', properties: { a: { type: 'string', pattern: '\\-' } } } },
  ],
])('an answer with %s is the JSON as text', async (_name, response) => {
  const value = _name === 'a list' ? [{ text: 'a' }] : { text: 'a' }
  const { tool, call } = await exposed({
    routes: (app) =>
      app.get(
        '/x',
        { schema: response === undefined ? {} : { response }, serializerCompiler: () => JSON.stringify },
        () => value,
      ),
    tools: [get],
  })
  expect(await tool('get')).not.toHaveProperty('outputSchema')
  const result = await call('get')
  expect(result).not.toHaveProperty('structuredContent')
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(value) }])
})

test('an empty answer is told by its status', async () => {
  const { text } = await exposed({
    routes: (app) => app.delete('/x', (_request, reply) => reply.code(204).send()),
    tools: [remove],
  })
  expect(await text('remove')).toBe('204 No Content')
})

test('text is text', async () => {
  const { text } = await exposed({
    routes: (app) => app.get('/x', (_request, reply) => reply.type('text/csv').send('a,b')),
    tools: [get],
  })
  expect(await text('get')).toBe('a,b')
})

test.each([
  [400, { message: 'Not so' }, 'Not so'],
  [404, { error: 'Not Found', message: 'No such invoice', statusCode: 404 }, 'No such invoice'],
  [409, { title: 'Conflict', detail: 'Paid already' }, 'Paid already'],
  [422, { message: 5 }, 'The route answered 422 Unprocessable Entity'],
  [418, 'plain words', "The route answered 418 I'm a Teapot"],
  [429, { message: 'x'.repeat(5000) }, 'x'.repeat(1000)],
])('an answer %i of the route is a tool error in its own words', async (status, body, message) => {
  const { call } = await exposed({
    routes: (app) =>
      app.get('/x', { schema: { response: { 200: note } } }, (_request, reply) =>
        reply.code(status as 200).send(body),
      ),
    tools: [get],
  })
  const result = await call('get')
  expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: message }] })
})

test('the validation of the route judges the values, in its own words', async () => {
  const { call } = await exposed({
    routes: (app) =>
      app.get(
        '/x',
        { schema: { querystring: { type: 'object', properties: { n: { type: 'integer', maximum: 5 } } } } },
        () => 'x',
      ),
    tools: [get],
  })
  expect(await call('get', { n: 6 })).toMatchObject({
    isError: true,
    content: [{ text: 'querystring/n must be <= 5' }],
  })
})

test('a custom error handler has the last word', async () => {
  const { text } = await exposed({
    routes: (app) => {
      app.setErrorHandler((error: Error, _request, reply) =>
        reply.code(409).send({ message: `Handled: ${error.message}` }),
      )
      app.get('/x', () => {
        throw new Error('oh')
      })
    },
    tools: [get],
  })
  expect(await text('get')).toBe('Handled: oh')
})

test.each([301, 302, 303, 307, 308, 304])(
  'a redirect %i is a tool error and is not followed',
  async (status) => {
    let reached = 0
    const { call } = await exposed({
      routes: (app) => {
        app.get('/x', (_request, reply) => reply.code(status).header('location', '/secret?key=1').send())
        app.get('/secret', () => String(reached++))
      },
      tools: [get],
    })
    const result = await call('get')
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toMatch(/redirects are not followed$/)
    expect(JSON.stringify(result)).not.toContain('secret')
    expect(reached).toBe(0)
  },
)

test('a 5xx and what is thrown are masked, and logged', async () => {
  const { call, log } = await exposed({
    routes: (app) => {
      app.get('/x', () => {
        throw new Error('database at 10.0.0.5 is down')
      })
      app.delete('/x', (_request, reply) => reply.code(503).send({ message: 'inner words' }))
    },
    tools: [get, remove],
  })
  for (const name of ['get', 'remove']) expect(await call(name)).toEqual({ error: masked })
  const messages = log.map(({ err }) => err?.message)
  expect(messages).toContain('route GET /x answered 500')
  expect(messages).toContain('route DELETE /x answered 503')
})

const endless = () =>
  new Readable({
    read() {
      this.push('x'.repeat(1000))
    },
  })

test.each([
  ['bytes', 'application/octet-stream', () => Buffer.from([1, 2]), 'answered application/octet-stream'],
  ['an image', 'image/png', () => Buffer.from([1, 2]), 'answered image/png'],
  ['an event stream', 'text/event-stream', endless, 'answered text/event-stream'],
  ['text without an end', 'text/plain', endless, 'answered with more than 1048576 bytes'],
  ['JSON without an end', 'application/json', endless, 'answered with more than 1048576 bytes'],
])('%s found at run time is masked, logged and closed', async (_name, type, body, reason) => {
  let stream: Readable | Buffer | undefined
  const { call, log } = await exposed({
    routes: (app) => app.get('/x', (_request, reply) => reply.type(type).send((stream = body()))),
    tools: [get],
  })
  expect(await call('get')).toEqual({ error: masked })
  expect(log.map(({ err }) => err?.message).filter(Boolean)).toContainEqual(expect.stringContaining(reason))
  if (stream instanceof Readable && !stream.destroyed)
    await new Promise((closed) => (stream as Readable).once('close', closed))
})

test('`answerLimit` bounds an answer to the byte', async () => {
  const bounded = (answerLimit: number) =>
    routeTool({ method: 'GET', url: '/x', name: `get${answerLimit}`, description: 'x', answerLimit })
  const { call, text } = await exposed({
    routes: (app) => app.get('/x', () => 'ü'.repeat(5)),
    tools: [bounded(10), bounded(9)],
  })
  expect(await text('get10')).toBe('üüüüü')
  expect(await call('get9')).toEqual({ error: masked })
})

test('JSON that is not what the route declares is masked and not repeated in the log', async () => {
  const { call, log } = await exposed({
    routes: (app) => {
      const opts = {
        schema: { response: { 200: note } },
        serializerCompiler: () => (value: unknown) => String(value),
      }
      app.get('/x', opts, () => '{"secret')
      app.delete('/x', { ...opts, serializerCompiler: () => JSON.stringify }, () => ({ other: 'secret' }))
    },
    tools: [get, remove],
  })
  for (const name of ['get', 'remove']) expect(await call(name)).toEqual({ error: masked })
  expect(JSON.stringify(log)).not.toContain('secret')
  expect(log.map(({ err }) => err?.message)).toContainEqual(
    expect.stringContaining('broke its output schema'),
  )
})

test.each([
  ['binary by media type', { response: { 200: { content: { 'image/png': { schema: {} } } } } }],
  ['an event stream', { response: { 200: { content: { 'text/event-stream': { schema: {} } } } } }],
  ['binary by `produces`', { produces: ['application/pdf'] }],
])('a route that declares %s is refused', async (_name, schema) => {
  const error = await refusal((app) => app.get('/x', { schema: described(schema) }, () => ''), [get])
  expect(error).toMatchObject({
    code: 'ERR_DEFINITION',
    message: expect.stringMatching(/^route GET \/x: it answers .*only JSON and text/),
  })
})

test('the serializer of the reply is the one that counts', async () => {
  const { text } = await exposed({
    routes: (app) =>
      app.get('/x', (_request, reply) =>
        reply
          .type('application/json')
          .serializer(() => '{"own":1}')
          .send({ other: 2 }),
      ),
    tools: [get],
  })
  expect(await text('get')).toBe('{"own":1}')
})
