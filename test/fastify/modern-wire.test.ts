import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { meta, modern, post } from '../wire.js'
import { offer } from './notes.js'
import { listen, type RunningServer } from './server.js'

let server: RunningServer
beforeAll(async () => {
  server = await listen(offer)
})
afterAll(() => server.app.close())

const send = (...request: Parameters<typeof modern>) => post(server.url, modern(...request))
const call = (name: string, args?: unknown, options?: Parameters<typeof modern>[2]) =>
  send('tools/call', { name, ...(args === undefined ? {} : { arguments: args }) }, options)

describe('results', () => {
  test('WIRE-9 META-7 TOOL-11 TOOL-13 a call answers with value, text and identity', async () => {
    const { status, json, headers } = await call('echo', { text: 'hi' })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: '{"text":"hi"}' }],
        structuredContent: { text: 'hi' },
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } },
      },
    })
  })

  test('DISC-2 DISC-3 discover tells versions, capabilities and caching', async () => {
    const { json } = await send('server/discover')
    expect(json.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25'],
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      ttlMs: 0,
      cacheScope: 'private',
      serverInfo: { name: 'test', version: '1.0.0' },
    })
  })

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    'CA-1 TOOL-3 %s is cacheable and in the order of registration',
    async (method) => {
      const { json } = await send(method)
      expect(json.result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
      expect((await send(method)).text).toBe((await send(method)).text)
      expect(json.result).not.toHaveProperty('nextCursor')
    },
  )

  test.each([
    ['number', 0],
    ['flag', false],
    ['nothing', null],
    ['words', []],
    ['word', ''],
  ])('B068 TRAP-10 %s travels as it is and as text', async (name, value) => {
    const { json } = await call(name)
    expect(json.result.structuredContent).toEqual(value)
    expect(json.result.content).toEqual([{ type: 'text', text: JSON.stringify(value) }])
  })

  test('G-33 chosen content and metadata stand beside the value', async () => {
    const { json } = await call('rich')
    expect(json.result.content).toEqual([
      { type: 'text', text: 'one' },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
    ])
    expect(json.result.structuredContent).toEqual({ n: 1 })
    expect(json.result._meta).toMatchObject({ 'com.example/k': 1 })
  })

  test('RES-4 reading gives text, bytes and template variables, with the caching of the resource', async () => {
    const text = await send('resources/read', { uri: 'notes://readme' })
    expect(text.json.result).toMatchObject({
      contents: [{ uri: 'notes://readme', mimeType: 'text/markdown', text: '# notes://readme' }],
      ttlMs: 5000,
      cacheScope: 'public',
    })
    const bytes = await send('resources/read', { uri: 'notes://logo' })
    expect(bytes.json.result.contents).toEqual([{ uri: 'notes://logo', mimeType: 'image/png', blob: 'iVBO' }])
    const one = await send('resources/read', { uri: 'notes://note/7%207' })
    expect(one.json.result.contents[0].text).toBe('note 7 7')
  })

  test.each(['notes://nowhere', 'notes://note/gone', '::not a uri', 'notes://note/..%2Fx'])(
    'RES-5 B022 B053 %s is not found, with its uri',
    async (uri) => {
      const { status, json } = await send('resources/read', { uri })
      expect({ status, error: json.error }).toMatchObject({
        status: 200,
        error: { code: -32602, data: { uri } },
      })
    },
  )

  test('PR-2 PR-4 prompts list their arguments and answer with messages', async () => {
    const list = await send('prompts/list')
    expect(list.json.result.prompts[1]).toEqual({
      name: 'summary',
      arguments: [{ name: 'topic', description: 'What about', required: true }, { name: 'tone' }],
    })
    const one = await send('prompts/get', { name: 'summary', arguments: { topic: 'moats', tone: 'dry' } })
    expect(one.json.result).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'Summarise moats in a dry tone' } }],
    })
    expect(one.json.result).not.toHaveProperty('ttlMs')
    const fixed = await send('prompts/get', { name: 'greeting' })
    expect(fixed.json.result).toMatchObject({
      description: 'Says hello',
      messages: [{ content: { text: 'Hello' } }],
    })
  })

  test.each([
    { name: 'summary', arguments: {} },
    { name: 'summary', arguments: { topic: 7 } },
    { name: 'summary', arguments: { topic: 'a', tone: 'loud' } },
    { name: 'summary', arguments: [] },
    { name: 'nobody' },
    { name: 7 },
    {},
  ])('PR-5 B069 prompts/get %j is invalid', async (params) => {
    const { status, json } = await send('prompts/get', params, {
      headers: { 'mcp-name': String(params.name ?? 'x') },
    })
    expect({ status, code: json.error.code }).toEqual({ status: 200, code: -32602 })
  })

  test('CMP-3 B057 completion suggests, cuts at 100 and counts', async () => {
    const topic = await send('completion/complete', {
      ref: { type: 'ref/prompt', name: 'summary' },
      argument: { name: 'topic', value: '' },
    })
    expect(topic.json.result.completion).toMatchObject({ total: 500, hasMore: true })
    expect(topic.json.result.completion.values).toHaveLength(100)
    const id = await send('completion/complete', {
      ref: { type: 'ref/resource', uri: 'notes://note/{id}' },
      argument: { name: 'id', value: 'b' },
      context: { arguments: { x: 'y' } },
    })
    expect(id.json.result.completion).toEqual({ values: ['b1'] })
    const none = await send('completion/complete', {
      ref: { type: 'ref/prompt', name: 'summary' },
      argument: { name: 'tone', value: '' },
    })
    expect(none.json.result.completion).toEqual({ values: [] })
  })

  test.each([
    { ref: { type: 'ref/prompt', name: 'nobody' }, argument: { name: 'a', value: '' } },
    { ref: { type: 'ref/resource', uri: 'notes://nowhere/{x}' }, argument: { name: 'a', value: '' } },
    { ref: { type: 'ref/prompt', name: 'summary' }, argument: { name: 'nothing', value: '' } },
    { ref: { type: 'ref/prompt', name: 'summary' }, argument: { name: 'topic', value: 7 } },
    {
      ref: { type: 'ref/prompt', name: 'summary' },
      argument: { name: 'topic', value: '' },
      context: { arguments: { a: 1 } },
    },
    { ref: 'summary', argument: { name: 'topic', value: '' } },
    {},
  ])('CMP-4 completion/complete %j is invalid', async (params) => {
    const { status, json } = await send('completion/complete', params)
    expect({ status, code: json.error.code }).toEqual({ status: 200, code: -32602 })
  })
})

describe('tool failures', () => {
  test.each([
    [undefined],
    [{}],
    [{ text: 7 }],
    [{ text: 'a', times: 99 }],
    [{ text: 'a', times: 1.5 }],
    [null],
  ])('TOOL-15 B018 B021 D-17 arguments %j are an error for the model', async (args) => {
    const { status, json } = await call('echo', args)
    expect(status).toBe(200)
    expect(json.result.isError).toBe(true)
    expect(json.result.content[0].text).toMatch(/^Invalid arguments: .*(text|times)/)
    expect(json.result).not.toHaveProperty('structuredContent')
  })

  test('TOOL-14 B020 B070 an unknown tool and a malformed call are protocol errors', async () => {
    for (const name of ['nope', 'constructor', '__proto__', 'toString', 'Echo']) {
      const { status, json } = await call(name)
      expect({ status, code: json.error.code }).toEqual({ status: 200, code: -32602 })
    }
    for (const args of [[], 'x', 7, true]) expect((await call('echo', args)).json.error.code).toBe(-32602)
    expect((await send('tools/call', {}, { headers: { 'mcp-name': 'echo' } })).json.error.code).toBe(-32602)
  })

  test('G-58 ToolError speaks to the model', async () => {
    const { json } = await call('failing', { how: 'tool' })
    expect(json.result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'The shelf is empty' }],
    })
  })

  test.each(['error', 'rejected', 'string', 'undefined'])(
    'B138 whatever else is thrown (%s) is masked',
    async (how) => {
      const { status, json, text } = await call('failing', { how })
      expect({ status, error: json.error }).toEqual({
        status: 200,
        error: { code: -32603, message: 'Internal error' },
      })
      expect(text).not.toContain('secret-detail')
    },
  )

  test.each(['schema', 'bigint', 'cycle', 'toJSON'])(
    'TOOL-12 D-14 B137 a broken output (%s) is never sent',
    async (how) => {
      const { status, json, text } = await call('broken', { how })
      expect({ status, error: json.error }).toEqual({
        status: 200,
        error: { code: -32603, message: 'Internal error' },
      })
      expect(text).not.toContain('secret-detail')
    },
  )
})

describe('methods', () => {
  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'notifications/cancelled',
    'unknown/method',
    '',
    '__proto__',
    'constructor',
  ])('HTTP-19 TRAP-34 B014 %j does not exist here', async (method) => {
    const { status, json } = await send(method, {}, { id: 'q' })
    expect({ status, id: json.id, code: json.error.code }).toEqual({ status: 404, id: 'q', code: -32601 })
  })

  test('DISC-3 B028 what is not offered has no methods, an empty offer has', async () => {
    const { app, url } = await listen({ tools: [] })
    expect((await post(url, modern('tools/list'))).json.result.tools).toEqual([])
    expect((await post(url, modern('prompts/list'))).status).toBe(404)
    expect((await post(url, modern('resources/read', { uri: 'a:b' }))).status).toBe(404)
    expect((await post(url, modern('completion/complete'))).status).toBe(404)
    expect((await post(url, modern('server/discover'))).json.result.capabilities).toEqual({ tools: {} })
    await app.close()
  })
})

describe('notifications and responses', () => {
  test.each(['notifications/initialized', 'notifications/cancelled', 'notifications/foo'])(
    'HTTP-9 WIRE-6 B012 %s is accepted and ignored',
    async (method) => {
      const answer = await post(server.url, {
        body: { jsonrpc: '2.0', method },
        headers: { 'content-type': 'application/json' },
      })
      expect(answer).toMatchObject({ status: 202, text: '' })
      expect(answer.headers.get('content-type')).toBeNull()
    },
  )

  test('B013 a notification under a version that is not served is refused without an id', async () => {
    const { status, json } = await post(server.url, {
      body: { jsonrpc: '2.0', method: 'notifications/foo' },
      headers: { 'content-type': 'application/json', 'mcp-protocol-version': '1999-01-01' },
    })
    expect(status).toBe(400)
    expect(json).not.toHaveProperty('id')
    expect(json.error.code).toBe(-32022)
  })

  test('WIRE-8 a modern client sends no responses', async () => {
    const { status, json } = await post(server.url, {
      body: { jsonrpc: '2.0', id: 3, result: {} },
      headers: modern('x').headers,
    })
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32600 })
  })
})

test('META-14 unknown _meta keys and parameters are tolerated', async () => {
  const { status } = await send('tools/list', {
    extra: 1,
    _meta: meta({ 'com.example/x': 1, traceparent: 'nonsense' }),
  })
  expect(status).toBe(200)
})
