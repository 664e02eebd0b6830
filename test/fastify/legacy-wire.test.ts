import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { events, post, type WireAnswer } from '../wire.js'
import { offer, progress } from './notes.js'
import { listen, type RunningServer } from './server.js'

const version = '2025-11-25'
let server: RunningServer
beforeAll(async () => {
  server = await listen({
    ...offer,
    tools: [...(offer.tools ?? []), progress],
    instructions: 'Mind the moat.',
  })
})
afterAll(() => server.app.close())

function send(
  method: string,
  params?: unknown,
  headers: Record<string, string> = {},
  id: unknown = 5,
): Promise<WireAnswer> {
  const body = {
    jsonrpc: '2.0',
    ...(id === null ? {} : { id }),
    method,
    ...(params === undefined ? {} : { params }),
  }
  return post(server.url, {
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...headers,
    },
  })
}

const call = (name: string, args: unknown = {}) => send('tools/call', { name, arguments: args })
const handshake = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'old', version: '4.1' } }

function bare(method: string, params?: unknown): Promise<WireAnswer> {
  return post(server.url, {
    body: { jsonrpc: '2.0', id: 0, method, params },
    headers: { 'content-type': 'application/json' },
  })
}

describe('the handshake', () => {
  test.each([version, '2025-06-18', '2024-11-05', '2026-07-28', '2099-01-01', 'anything'])(
    'G-15 LEG-20 B025 initialize asking for %s answers 2025-11-25 and remembers nothing',
    async (protocolVersion) => {
      const answer = await bare('initialize', { ...handshake, protocolVersion })
      expect(answer.status).toBe(200)
      expect(answer.headers.has('mcp-session-id')).toBe(false)
      expect(answer.json).toEqual({
        jsonrpc: '2.0',
        id: 0,
        result: {
          protocolVersion: version,
          capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
          serverInfo: { name: 'test', version: '1.0.0' },
          instructions: 'Mind the moat.',
        },
      })
    },
  )

  test('LEG-12 the version header is optional on initialize', async () => {
    expect((await send('initialize', handshake)).json.result.protocolVersion).toBe(version)
  })

  test.each([
    {},
    { ...handshake, protocolVersion: 7 },
    { ...handshake, protocolVersion: '' },
    { ...handshake, capabilities: null },
    { ...handshake, clientInfo: { name: 'x' } },
  ])('G-15 initialize with %j is -32602 on HTTP 200', async (params) => {
    const { status, json } = await bare('initialize', params)
    expect({ status, code: json.error.code, id: json.id }).toEqual({ status: 200, code: -32602, id: 0 })
  })

  test('LEG-22 initialized and posted responses are accepted and forgotten', async () => {
    const answer = await send('notifications/initialized', undefined, {}, null)
    expect(answer).toMatchObject({ status: 202, text: '' })
    const response = await post(server.url, {
      body: { jsonrpc: '2.0', id: 1, result: {} },
      headers: { 'content-type': 'application/json', 'mcp-protocol-version': version },
    })
    expect(response).toMatchObject({ status: 202, text: '' })
  })

  test('LEG-25 ping answers an empty result', async () => {
    expect((await send('ping')).json).toEqual({ jsonrpc: '2.0', id: 5, result: {} })
  })
})

describe('calls', () => {
  test('LEG-14 LEG-26 a call needs neither header nor handshake', async () => {
    expect((await bare('tools/list')).json.result.tools.length).toBeGreaterThan(3)
  })

  test('B023 B024 LEG-29 nothing of the newer revision is in results', async () => {
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      const { json } = await send(method)
      expect(Object.keys(json.result)).toHaveLength(1)
    }
    const { json } = await call('echo', { text: 'hi' })
    expect(json.result).toEqual({
      content: [{ type: 'text', text: '{"text":"hi"}' }],
      structuredContent: { text: 'hi' },
    })
    const read = await send('resources/read', { uri: 'notes://readme' })
    expect(Object.keys(read.json.result)).toEqual(['contents'])
  })

  test.each([
    ['number', 0],
    ['flag', false],
    ['nothing', null],
    ['words', []],
    ['word', ''],
  ])('G-18 G-19 D-6 TRAP-36 the value of %s is wrapped, in schema, result and text', async (name, value) => {
    const { json } = await call(name)
    expect(json.result.structuredContent).toEqual({ value })
    expect(json.result.content).toEqual([{ type: 'text', text: JSON.stringify({ value }) }])
    const tool = (await send('tools/list')).json.result.tools.find(
      (entry: { name: string }) => entry.name === name,
    )
    expect(tool.outputSchema).toMatchObject({
      type: 'object',
      properties: { value: {} },
      required: ['value'],
    })
  })

  test('G-19 the text of the value comes after chosen content', async () => {
    const { json } = await call('rich')
    expect(json.result.content.map((block: { type: string }) => block.type)).toEqual([
      'text',
      'image',
      'text',
    ])
    expect(json.result.content[2].text).toBe('{"n":1}')
    expect(json.result._meta).toEqual({ 'com.example/k': 1 })
  })

  test('LEG-23 mirrored headers are not asked for', async () => {
    expect((await call('mirrored', { region: 'north' })).json.result.content[0].text).toBe('north')
  })

  test('LEG-30 a missing resource is -32002', async () => {
    const { status, json } = await send('resources/read', { uri: 'notes://nowhere' })
    expect({ status, error: json.error }).toMatchObject({
      status: 200,
      error: { code: -32002, data: { uri: 'notes://nowhere' } },
    })
  })

  test('LEG-28 TRAP-35 JSON-RPC errors travel on HTTP 200', async () => {
    for (const [method, code] of [
      ['nothing', -32601],
      ['server/discover', -32601],
      ['logging/setLevel', -32601],
      ['resources/subscribe', -32601],
    ] as const) {
      const { status, json } = await send(method)
      expect({ status, code: json.error.code, id: json.id }).toEqual({ status: 200, code, id: 5 })
    }
    expect((await call('nope')).json.error.code).toBe(-32602)
    expect((await call('failing', { how: 'error' })).json.error).toEqual({
      code: -32603,
      message: 'Internal error',
    })
    expect((await call('failing', { how: 'tool' })).json.result.isError).toBe(true)
    expect((await call('echo', {})).json.result.isError).toBe(true)
  })

  test('G-17 params may be absent but not null', async () => {
    expect((await send('tools/list')).status).toBe(200)
    const { status, json } = await send('tools/list', null)
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32600 })
  })

  test.each([0, 'p', ''])('LEG-33 progress flows for token %j', async (progressToken) => {
    const { text } = await send('tools/call', {
      name: 'progress',
      arguments: { steps: [1, 2] },
      _meta: { progressToken },
    })
    expect(events(text).map((message) => message.params?.progressToken)).toEqual([
      progressToken,
      progressToken,
      undefined,
    ])
  })

  test('LEG-34 no batches', async () => {
    const answer = await post(server.url, {
      body: [{ jsonrpc: '2.0', id: 1, method: 'ping' }],
      headers: { 'content-type': 'application/json' },
    })
    expect({ status: answer.status, code: answer.json.error.code }).toEqual({ status: 400, code: -32600 })
  })

  test('VERS-11 a modern envelope naming 2025-11-25 is served as that', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const { json } = await send('tools/list', { _meta })
    expect(json.result).not.toHaveProperty('resultType')
    const differing = await send(
      'tools/list',
      { _meta },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
    )
    expect({ status: differing.status, code: differing.json.error.code }).toEqual({
      status: 400,
      code: -32020,
    })
  })

  test.each(['tools/list', 'resources/list'])('PAGE-1 B051 %s refuses a strange cursor', async (method) => {
    for (const cursor of ['', 'x', 'bm90aGluZw', 7, null, {}]) {
      expect((await send(method, { cursor })).json.error.code, JSON.stringify(cursor)).toBe(-32602)
    }
  })
})

describe('with legacy turned off', () => {
  let strict: RunningServer
  beforeAll(async () => {
    strict = await listen({ ...offer, legacy: false })
  })
  afterAll(() => strict.app.close())

  test('LEG-35 VERS-9 initialize is told what is served', async () => {
    const { status, json } = await post(strict.url, {
      body: { jsonrpc: '2.0', id: 0, method: 'initialize', params: handshake },
      headers: { 'content-type': 'application/json' },
    })
    expect({ status, error: json.error }).toMatchObject({
      status: 400,
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: version } },
    })
  })

  test('HDR-3 other legacy calls are refused', async () => {
    for (const headers of [{}, { 'mcp-protocol-version': version }]) {
      const answer = await post(strict.url, {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: { 'content-type': 'application/json', ...headers },
      })
      expect(answer.status).toBe(400)
    }
  })
})
