import { defineResourceTemplate, defineTool } from 'castellan'
import mcp, { handle } from 'castellan/fastify'
import { createClient, externalTool, httpCaller, localCaller, ToolExecutionError } from 'castellan/client'
import { injectClient } from 'castellan/testing'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ToolError } from '../../../src/errors.js'
import { createServer } from '../../../src/server/server.js'
import { routedEndpoint } from '../../../src/client/http/http-address.js'
import { failure } from '../engine/script.js'

const add = defineTool({
  name: 'add',
  description: 'Adds',
  input: z.object({
    a: z.number(),
    b: z.number().default(10),
    site: z.string().optional().meta({ 'x-mcp-header': 'Site' }),
  }),
  output: z.object({ sum: z.number() }),
})
const fail = defineTool({ name: 'fail', description: 'Fails' })
const note = defineResourceTemplate({ uriTemplate: 'note://{id}', name: 'note' })
const offer = {
  tools: [
    handle(add, ({ a, b }) => ({ sum: a + b })),
    handle(fail, () => {
      throw new ToolError('out of stock')
    }),
  ],
  resources: [handle(note, ({ id }) => `note ${id}`)],
}
const clientInfo = { name: 'test', version: '1' }
const app = fastify({ forceCloseConnections: true })
let endpoint = ''

beforeAll(async () => {
  await app.register(mcp, {
    path: '/o/:organization/mcp',
    name: 'test',
    version: '1',
    auth: 'none',
    ...offer,
  })
  endpoint = `${await app.listen({ port: 0, host: '127.0.0.1' })}/o/:organization/mcp`
})
afterAll(() => app.close())

const clients = {
  http: () => createClient(httpCaller({ clientInfo, endpoint, route: { organization: 'blue/green' } })),
  fetch: () => createClient(httpCaller({ clientInfo, endpoint, route: { organization: 'b' }, fetch })),
  inject: () => injectClient(app, { path: '/o/b/mcp' }),
  local: () =>
    createClient(
      localCaller({
        clientInfo,
        server: createServer({ name: 'test', version: '1', authenticated: false, ...offer }),
      }),
    ),
}

describe.each(Object.entries(clients))('a typed client over %s', (_name, make) => {
  test('calls, reads, lists and discovers', async () => {
    await using client = make()
    expect(await client.call(add, { a: 1, site: 'Zürich' })).toEqual({ sum: 11 })
    expect(await client.call('add', { a: 1, b: 2, site: 'x' })).toMatchObject({
      structuredContent: { sum: 3 },
    })
    expect(await client.read(note, { id: 'a b' })).toMatchObject([{ uri: 'note://a%20b', text: 'note a b' }])
    const names: string[] = []
    for await (const tool of client.tools()) names.push(tool.name)
    expect(names).toEqual(['add', 'fail'])
    for await (const template of client.templates()) expect(template.uriTemplate).toBe('note://{id}')
    expect(await client.discover()).toMatchObject({ serverInfo: { name: 'test' } })
  })

  test('G-75: a failed tool is an error that keeps the exact response', async () => {
    await using client = make()
    const error = await failure(client.call(fail))
    expect(error).toBeInstanceOf(ToolExecutionError)
    expect(error).toMatchObject({ message: 'out of stock', response: { isError: true } })
    expect(await client.callRaw(fail, {})).toMatchObject({ status: 'complete', isError: true })
  })

  test('G-29: a tool of another server, with this host’s view of it', async () => {
    await using client = make()
    const sums = externalTool({
      name: 'add',
      input: z.object({ a: z.number() }),
      output: z.object({ sum: z.int() }),
    })
    expect(await client.call(sums, { a: 5 })).toEqual({ sum: 15 })
    const texts = externalTool({
      name: 'add',
      input: z.object({ a: z.number() }),
      output: z.object({ sum: z.string() }),
    })
    expect(await failure(client.call(texts, { a: 5 }))).toMatchObject({ kind: 'malformed' })
  })

  test('bad arguments and variables are refused before anything is sent', async () => {
    await using client = make()
    expect(await failure(client.call(add, { a: 'x' } as never))).toMatchObject({
      rpc: -32602,
      status: undefined,
    })
    expect(await failure(client.read(note, { id: '..' }))).toMatchObject({ rpc: -32602 })
    expect(await failure(client.prompt('none'))).toMatchObject({ kind: 'rpc' })
  })
})

describe('the address of a caller', () => {
  const path = 'https://a.example/o/:organization/mcp'

  test('G-42 to G-44: values are encoded once, each as one segment', () => {
    expect(routedEndpoint(path, { organization: 'blue/green ü%2F' })).toBe(
      'https://a.example/o/blue%2Fgreen%20%C3%BC%252F/mcp',
    )
    expect(routedEndpoint('https://a.example:8080/mcp')).toBe('https://a.example:8080/mcp')
  })

  test('G-43: a value never becomes the host', () => {
    const ofHost = () =>
      routedEndpoint('https://:tenant/o/:organization', { tenant: 'b.example', organization: 'a' })
    expect(ofHost).toThrow(expect.objectContaining({ code: 'ERR_OPTION' }))
  })

  test.each([
    {},
    { organization: '' },
    { organization: '..' },
    { organization: 'a', more: 'b' },
    { organization: 5 },
  ])('G-43: %j is refused', (route) => {
    expect(() => routedEndpoint(path, route as never)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION' }),
    )
  })

  test('G-64: construction refuses what is missing, without a request', () => {
    const refused = expect.objectContaining({ code: 'ERR_OPTION' })
    expect(() => httpCaller({ clientInfo } as never)).toThrow(refused)
    expect(() => httpCaller({ clientInfo, endpoint: 'ftp://a.example' })).toThrow(refused)
    expect(() =>
      httpCaller({ clientInfo: { name: '', version: '1' }, endpoint: 'https://a.example/mcp' }),
    ).toThrow(refused)
    expect(() => httpCaller({ endpoint: 'https://a.example/mcp' } as never)).toThrow(refused)
  })
})
