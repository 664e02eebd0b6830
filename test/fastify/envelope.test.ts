import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { meta, modern, post, version, type WireRequest } from '../wire.js'
import { offer } from './notes.js'
import { listen, type RunningServer } from './server.js'

let server: RunningServer
beforeAll(async () => {
  server = await listen(offer)
})
afterAll(() => server.app.close())

async function refused(request: WireRequest): Promise<{ status: number; code: number; id: unknown }> {
  const { status, json } = await post(server.url, request)
  return { status, code: json.error.code, id: json.id }
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const without = (key: string) => Object.fromEntries(Object.entries(meta()).filter(([name]) => name !== key))

describe('META: the envelope is judged before the headers', () => {
  test.each<[string, unknown]>([
    ['META-3 no params', undefined],
    ['META-3 no _meta', {}],
    ['META-12 params is null', null],
    ['META-12 params is an array', []],
    ['META-12 params is text', 'x'],
    ['META-12 _meta is null', { _meta: null }],
    ['META-12 _meta is an array', { _meta: [] }],
    ['META-3 no version', { _meta: without(versionKey) }],
    ['META-12 an empty version', { _meta: meta({ [versionKey]: '' }) }],
    ['META-12 a numeric version', { _meta: meta({ [versionKey]: 20260728 }) }],
    ['META-3 no capabilities', { _meta: without(capabilitiesKey) }],
    ['META-12 capabilities null', { _meta: meta({ [capabilitiesKey]: null }) }],
    ['META-12 capabilities array', { _meta: meta({ [capabilitiesKey]: [] }) }],
    [
      'META-12 B027 clientInfo without version',
      { _meta: meta({ 'io.modelcontextprotocol/clientInfo': { name: 'x' } }) },
    ],
    ['META-12 clientInfo text', { _meta: meta({ 'io.modelcontextprotocol/clientInfo': 'x' }) }],
    ['LOG-4 B030 unknown log level', { _meta: meta({ 'io.modelcontextprotocol/logLevel': 'loud' }) }],
    ['PROG-1 progressToken null', { _meta: meta({ progressToken: null }) }],
    ['PROG-1 progressToken object', { _meta: meta({ progressToken: {} }) }],
    ['PROG-1 progressToken fraction', { _meta: meta({ progressToken: 1.5 }) }],
    ['PROG-1 progressToken too long', { _meta: meta({ progressToken: 'x'.repeat(1025) }) }],
    ['PROG-1 progressToken beyond exact integers', { _meta: meta({ progressToken: 2 ** 60 }) }],
  ])('%s is 400 and -32602, for every method', async (_rule, params) => {
    for (const method of ['tools/list', 'server/discover', 'unknown/method']) {
      const { headers } = modern(method)
      const body = { jsonrpc: '2.0', id: 'e', method, params }
      expect(await refused({ body, headers }), method).toEqual({ status: 400, code: -32602, id: 'e' })
      expect(await refused({ body, headers: { ...headers, 'mcp-method': 'wrong' } })).toMatchObject({
        code: -32602,
      })
    }
  })

  test('META-4 B027 a client need not say who it is', async () => {
    expect((await post(server.url, modern('server/discover'))).status).toBe(200)
  })
})

describe('HDR: headers must be there and agree', () => {
  test.each<[string, string, Record<string, unknown>, Record<string, string | undefined>]>([
    ['HDR-2 B001 no version header', 'tools/list', {}, { 'mcp-protocol-version': undefined }],
    ['HDR-2 another version', 'tools/list', {}, { 'mcp-protocol-version': '2026-07-29' }],
    ['LEG-15 the legacy version', 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }],
    ['HDR-6 no method header', 'tools/list', {}, { 'mcp-method': undefined }],
    ['HDR-6 another method', 'tools/list', {}, { 'mcp-method': 'tools/call' }],
    ['HDR-7 the method in another case', 'tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }],
    ['HDR-9 the method encoded', 'tools/list', {}, { 'mcp-method': '=?base64?dG9vbHMvbGlzdA==?=' }],
    ['HDR-6 no name header', 'tools/call', { name: 'echo' }, { 'mcp-name': undefined }],
    ['HDR-6 another name', 'tools/call', { name: 'echo' }, { 'mcp-name': 'failing' }],
    ['HDR-7 the name in another case', 'tools/call', { name: 'echo' }, { 'mcp-name': 'Echo' }],
    ['HDR-43 a name in bad base64', 'tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?ZWNobw?=' }],
    ['HDR-6 no name on a prompt', 'prompts/get', { name: 'greeting' }, { 'mcp-name': undefined }],
    ['HDR-6 another uri', 'resources/read', { uri: 'notes://readme' }, { 'mcp-name': 'notes://logo' }],
  ])('%s is 400 and -32020', async (_rule, method, params, headers) => {
    expect(await refused(modern(method, params, { id: 7, headers }))).toEqual({
      status: 400,
      code: -32020,
      id: 7,
    })
  })

  test('HDR-9 TRAP-19 B002 an encoded name is decoded before it is compared', async () => {
    const encoded = `=?base64?${Buffer.from('echo').toString('base64')}?=`
    const { status } = await post(
      server.url,
      modern('tools/call', { name: 'echo', arguments: { text: 'a' } }, { headers: { 'mcp-name': encoded } }),
    )
    expect(status).toBe(200)
    const uri = 'notes://note/城'
    const read = modern(
      'resources/read',
      { uri },
      { headers: { 'mcp-name': `=?base64?${Buffer.from(uri).toString('base64')}?=` } },
    )
    expect((await post(server.url, read)).json.error?.code).not.toBe(-32020)
  })

  test('TRAP-3 CONF a mismatch wins over an unsupported version', async () => {
    const params = { _meta: meta({ [versionKey]: '2027-02-01' }) }
    expect(await refused(modern('tools/list', params))).toMatchObject({ status: 400, code: -32020 })
  })
})

describe('VERS: the version is judged after the headers and before the method', () => {
  test.each(['2027-02-01', '1900-01-01', 'v999.0.0', '2026-07-28 beta'])(
    'VERS-2 LEG-10 %s is 400 and -32022 with what is served',
    async (requested) => {
      for (const method of ['tools/list', 'server/discover', 'unknown/method']) {
        const request = modern(
          method,
          { _meta: meta({ [versionKey]: requested }) },
          { headers: { 'mcp-protocol-version': requested } },
        )
        const { status, json } = await post(server.url, request)
        expect({ status, error: json.error }).toMatchObject({
          status: 400,
          error: { code: -32022, data: { supported: ['2026-07-28', '2025-11-25'], requested } },
        })
      }
    },
  )
})

describe('mirrored parameters', () => {
  const args = { region: 'north', level: 4 }
  const headers = { 'mcp-param-region': 'north', 'mcp-param-level': '4' }
  const callMirrored = (changed: Record<string, string | undefined>, given: object = args) =>
    post(
      server.url,
      modern('tools/call', { name: 'mirrored', arguments: given }, { headers: { ...headers, ...changed } }),
    )

  test('HDR-29 agreeing headers pass', async () => {
    expect((await callMirrored({})).status).toBe(200)
    expect((await callMirrored({ 'mcp-param-level': '4.0' })).status).toBe(200)
    expect(
      (await callMirrored({ 'mcp-param-flag': 'false' }, { ...args, deep: { flag: false } })).status,
    ).toBe(200)
  })

  test.each<[string, Record<string, string | undefined>, object]>([
    ['HDR-29 a missing header', { 'mcp-param-region': undefined }, args],
    ['HDR-29 another value', { 'mcp-param-region': 'south' }, args],
    ['HDR-30 another integer', { 'mcp-param-level': '5' }, args],
    ['HDR-31 a header without an argument', {}, { region: 'north' }],
    ['HDR-43 bad base64', { 'mcp-param-region': '=?base64?bm9ydGg?=' }, args],
    ['HDR-23 a missing nested one', {}, { ...args, deep: { flag: true } }],
    [
      'B004 an integer no double holds',
      { 'mcp-param-level': undefined },
      { region: 'north', level: 2 ** 53 },
    ],
  ])('%s is 400 and -32020', async (_rule, changed, given) => {
    const { status, json } = await callMirrored(changed, given)
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32020 })
  })

  test('§1.5 an unknown tool comes before its parameters, its parameters before its arguments', async () => {
    const unknown = modern('tools/call', { name: 'nope' }, { headers: { 'mcp-param-region': 'x' } })
    expect((await post(server.url, unknown)).json.error.code).toBe(-32602)
    expect(
      (await callMirrored({ 'mcp-param-region': '7' }, { region: 7, level: 4 })).json.result.isError,
    ).toBe(true)
    expect(
      (await callMirrored({ 'mcp-param-region': undefined }, { region: 7, level: 4 })).json.error.code,
    ).toBe(-32020)
  })
})

test(`HTTP-3 session and resumption headers are ignored under ${version}`, async () => {
  const answer = await post(
    server.url,
    modern('tools/list', {}, { headers: { 'mcp-session-id': 'abc', 'last-event-id': '7' } }),
  )
  expect(answer.status).toBe(200)
  expect(answer.headers.has('mcp-session-id')).toBe(false)
})
