import { meta } from '../wire.js'
import { oddReturns, oddThrows } from './odd-things.js'
import type { Random } from './random.js'
import { bytesOf, chunked, legacyPost, modernPost, type HostileRequest } from './request.js'
import { mutateTree, render, treeOf } from './tree.js'

/** One generated request. */
export interface Generated {
  readonly request: HostileRequest
  /** The message before HTTP framed it; undefined when its bytes may have changed on the way. */
  readonly message: string | Uint8Array | undefined
  /** Whether bytes are sent as they are, on a connection of their own. */
  readonly raw: boolean
  /** Whether the HTTP around the body is wrong too, so that the HTTP layer may answer. */
  readonly brokenHttp: boolean
}

const hows = [
  ...Object.keys(oddReturns).map((name) => `return:${name}`),
  ...Object.keys(oddThrows).flatMap((name) => [`throw:${name}`, `reject:${name}`]),
]

type Start = (method: string, params?: Record<string, unknown>) => HostileRequest

const starts: readonly ((random: Random, start: Start) => HostileRequest)[] = [
  (_random, start) => start('tools/list'),
  (random, start) => start('tools/list', { cursor: random.pick(['', 'x', 'dG9vbHMKb2Rk']) }),
  (_random, start) => start('resources/list'),
  (_random, start) => start('resources/templates/list'),
  (_random, start) => start('prompts/list'),
  (_random, start) => start('server/discover'),
  (_random, start) => start('ping'),
  (_random, start) =>
    start('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'old', version: '1' },
    }),
  (random, start) => start('tools/call', { name: 'odd', arguments: { how: random.pick(hows) } }),
  (random, start) => start('tools/call', { name: 'odd_value', arguments: { how: random.pick(hows) } }),
  (random, start) => start('tools/call', { name: 'odd_check', arguments: { how: random.pick(hows) } }),
  (random, start) =>
    start('tools/call', {
      name: 'odd_progress',
      arguments: { steps: [1, 2, 2, random.pick([3, 'x', null])] },
      _meta: meta({ progressToken: random.pick([0, '', 'token', 7]) }),
    }),
  (_random, start) => start('resources/read', { uri: 'notes://fixed' }),
  (random, start) => start('resources/read', { uri: `notes://odd/${encodeURIComponent(random.pick(hows))}` }),
  (random, start) => start('prompts/get', { name: 'odd', arguments: { how: random.pick(hows) } }),
  (random, start) =>
    start('completion/complete', {
      ref: random.pick([
        { type: 'ref/prompt', name: 'odd' },
        { type: 'ref/resource', uri: 'notes://odd/{how}' },
      ]),
      argument: { name: random.pick(['how', 'other']), value: random.pick(hows) },
      context: { arguments: { other: 'x' } },
    }),
]

/** Makes one request: a valid one of either revision, changed in a few places. */
export function generate(random: Random): Generated {
  const start: Start = random.chance(0.5)
    ? modernPost
    : (method, params = {}) => {
        const { _meta, ...rest } = params as { _meta?: Record<string, unknown> }
        const token = _meta?.['progressToken']
        return legacyPost(method, token === undefined ? rest : { ...rest, _meta: { progressToken: token } })
      }
  let request = random.pick(starts)(random, start)
  const raw = random.chance(0.3)
  const changes = random.pick([0, 1, 1, 1, 2, 2, 3, 5])
  for (let count = 0; count < changes; count++) {
    if (random.chance(0.6)) request = inBody(random, request)
    else request = inHeaders(random, request)
  }
  if (random.chance(0.08)) request = inBytes(random, request)
  const brokenHttp = raw && random.chance(0.15)
  const { body: message } = request
  if (brokenHttp) request = random.pick(httpChanges)(random, request)
  return { request, raw, brokenHttp, message: request.bytes === undefined ? message : undefined }
}

function inBody(random: Random, request: HostileRequest): HostileRequest {
  let value: unknown
  try {
    value = JSON.parse(request.body as string)
  } catch {
    return request
  }
  let tree = treeOf(value)
  tree = mutateTree(random, tree)
  return { ...request, body: render(tree) }
}

const values = [
  '',
  'x',
  '0',
  'application/json',
  'text/event-stream',
  'application/json;q=0',
  '*/*',
  '2026-07-28',
  '2025-11-25',
  '2099-01-01',
  'tools/list',
  'odd',
  '=?base64?b2Rk?=',
  '=?base64?b2Rk',
  '=?base64?/w==?=',
  '\x80\xff',
  'a'.repeat(2000),
  'chunked',
  'null',
]
const names = [
  'Accept',
  'Content-Type',
  'Content-Encoding',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Param-X',
  'Mcp-Session-Id',
  'Last-Event-ID',
  'Origin',
  'Cookie',
  'Expect',
  'X-Forwarded-Host',
  'Authorization',
]

function inHeaders(random: Random, request: HostileRequest): HostileRequest {
  const lines = [...request.lines]
  const at = random.int(lines.length || 1)
  const line = lines[at] ?? 'X: y'
  const name = line.slice(0, line.indexOf(':'))
  random.pick([
    () => lines.splice(at, 1),
    () => lines.push(line),
    () => (lines[at] = `${name}: ${random.pick(values)}`),
    () => (lines[at] = `${name}: ${random.pick(values)}`),
    () => (lines[at] = line.toUpperCase()),
    () => (lines[at] = `${name}:\t ${line.slice(name.length + 1)} \t`),
    () => lines.push(`${random.pick(names)}: ${random.pick(values)}`),
    () => lines.reverse(),
  ])()
  return { ...request, lines }
}

function inBytes(random: Random, request: HostileRequest): HostileRequest {
  const bytes = Buffer.from(request.body)
  const at = random.int(bytes.length + 1)
  const noise = Buffer.from(Array.from({ length: 1 + random.int(4) }, () => random.int(256)))
  const body = random.pick([
    () => bytes.subarray(0, at),
    () => bytes.subarray(at),
    () => Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at + noise.length)]),
    () => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.from(bytes.toString('latin1'), 'utf16le'),
    () => Buffer.concat([bytes, Buffer.alloc(70_000, 0x20)]),
  ])()
  return { ...request, body }
}

const httpChanges: readonly ((random: Random, request: HostileRequest) => HostileRequest)[] = [
  (random, request) => ({ ...request, framing: [`Content-Length: ${random.int(2000)}`], halfClose: true }),
  (random, request) => ({
    ...request,
    framing: ['Transfer-Encoding: chunked'],
    body: chunked(Buffer.from(request.body).toString(), 1 + random.int(50)),
  }),
  (random, request) => ({
    ...request,
    framing: ['Transfer-Encoding: chunked'],
    body: chunked(Buffer.from(request.body).toString()).slice(0, -random.int(9) - 1),
    halfClose: true,
  }),
  (random, request) => ({
    ...request,
    method: random.pick(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'post', 'BREW']),
  }),
  (random, request) => ({
    ...request,
    target: random.pick([
      '/',
      '/mcp/',
      '/mcp?access_token=x',
      '/mcp?%zz',
      '/mcp?a=b#c',
      '*',
      '/mcp%zz',
      'http://localhost/mcp',
    ]),
  }),
  (random, request) => ({
    ...request,
    connection: [`Host: ${random.pick(['evil.example', '', 'localhost:1', '[::1]'])}`, 'Connection: close'],
  }),
  (random, request) => ({ ...request, httpVersion: random.pick(['HTTP/1.0', 'HTTP/1.1 ', 'HTTP/3']) }),
  (random, request) => {
    const whole = bytesOf(request)
    const at = random.int(whole.length)
    const bytes = Buffer.concat([
      whole.subarray(0, at),
      Buffer.from([random.int(256)]),
      whole.subarray(at + 1),
    ])
    return { ...request, bytes, halfClose: true }
  },
]
