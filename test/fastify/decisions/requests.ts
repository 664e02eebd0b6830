import { Agent, request } from 'node:http'
import { modern } from '../../wire.js'

/** One way to ask: what it is sent with, apart from credentials, and what it gets from who may ask. */
export interface Form {
  readonly name: string
  readonly place: 'mcp' | 'protect'
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The origin of a page that sends it. */
  readonly from?: 'listed' | 'foreign'
  /** What somebody with every scope is answered. */
  readonly allowed: Said
  /** What is wrong with the message itself, told whatever the scopes are. */
  readonly wrong?: Said
  /** Asks for nothing that needs scopes. */
  readonly unscoped?: true
}

/** Status, body, and the headers that say something of the answer. */
export interface Said {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const json = { 'content-type': 'application/json; charset=utf-8' }
const said = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Said => ({
  status,
  body,
  headers,
})
const rpc = (status: number, code: number, message: string, id?: number) =>
  said(status, JSON.stringify({ jsonrpc: '2.0', ...(id && { id }), error: { code, message } }), {
    ...json,
    'cache-control': 'no-store',
  })

const basic = '"content":[{"type":"text","text":"basic"}]'
const about = '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1.0.0"}}'
const called = said(
  200,
  `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",${basic},${about}}}`,
  json,
)
const legacyHeaders = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' }
const page = 'https://app.example.com'

function form(name: string, change: Partial<Form> = {}): Form {
  const { headers, body } = modern('tools/call', { name: 'basic' })
  const usual = { place: 'mcp', method: 'POST', path: '/mcp', allowed: called } as const
  return { ...usual, name, headers, body: JSON.stringify(body), ...change }
}

const legacy = (message: Record<string, unknown>) => ({
  headers: legacyHeaders,
  body: JSON.stringify({ jsonrpc: '2.0', ...message }),
})
const modernHeaders = modern('tools/call', { name: 'basic' }).headers
const refusedMethod = { allowed: said(405, '', { allow: 'POST' }), body: '', headers: {} }
const mismatch = 'The Mcp-Name header differs from the body'

/** Every way to ask, at the endpoint and at routes under `protect`. */
export const forms: readonly Form[] = [
  form('a modern call'),
  form('a legacy call', {
    ...legacy({ id: 1, method: 'tools/call', params: { name: 'basic' } }),
    allowed: said(200, `{"jsonrpc":"2.0","id":1,"result":{${basic}}}`, json),
  }),
  form('a notification', {
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x' }),
    headers: { 'content-type': 'application/json' },
    ...{ allowed: said(202, ''), unscoped: true },
  }),
  form('a legacy notification', {
    ...legacy({ method: 'notifications/initialized' }),
    ...{ allowed: said(202, ''), unscoped: true },
  }),
  form('a call from a listed page', { from: 'listed', headers: { ...modernHeaders, origin: page } }),
  form('a call from a foreign page', {
    from: 'foreign',
    headers: { ...modernHeaders, origin: 'https://evil-app.example.com' },
  }),
  form('a body that is no JSON', { body: '{', wrong: rpc(400, -32700, 'The body is not valid JSON') }),
  form('a body of no media type', {
    headers: {},
    wrong: rpc(415, -32600, 'The body must be application/json'),
  }),
  form('a call that hides another name', {
    headers: { ...modernHeaders, 'mcp-name': 'cheap' },
    wrong: rpc(400, -32020, mismatch, 1),
  }),
  ...['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) =>
    form(method, { ...refusedMethod, method }),
  ),
  form('GET from a foreign page', {
    ...{ ...refusedMethod, method: 'GET', from: 'foreign' },
    headers: { origin: 'null' },
  }),
  form('a preflight', {
    ...{ method: 'OPTIONS', from: 'listed', body: '', allowed: said(204, '') },
    headers: { origin: page, 'access-control-request-method': 'POST' },
  }),
  form('GET of a protected route', {
    ...{ place: 'protect', method: 'GET', path: '/notes', body: '', headers: {} },
    allowed: said(200, 'alice', { 'content-type': 'text/plain; charset=utf-8' }),
  }),
  form('POST to a protected route', {
    ...{
      place: 'protect',
      path: '/notes',
      body: '{"text":"x"}',
      headers: { 'content-type': 'application/json' },
    },
    allowed: said(201, '{"text":"x"}', json),
  }),
  form('a route that is not there, under protect', {
    ...{ place: 'protect', method: 'GET', path: '/nothing', body: '', headers: {} },
    allowed: said(
      404,
      '{"message":"Route GET:/nothing not found","error":"Not Found","statusCode":404}',
      json,
    ),
  }),
]

/** What credentials add to a request; header lines may repeat. */
export interface Presented {
  readonly authorization?: readonly string[]
  readonly proofs?: readonly string[]
  readonly query?: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 })
const unsaid = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']

/** Sends a request as it is written, header lines in their order, and reads all of the answer. */
export function send(
  port: number,
  { method, path, headers, body }: Form,
  presented: Presented,
): Promise<Said> {
  const { authorization = [], proofs = [], query } = presented
  const lines = [
    ...['host', 'localhost', 'content-length', String(Buffer.byteLength(body))],
    ...Object.entries(headers).flat(),
    ...authorization.flatMap((value) => ['authorization', value]),
    ...proofs.flatMap((value) => ['dpop', value]),
  ]
  const target = query === undefined ? path : `${path}?${query}`
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', method, path: target, headers: lines, agent }
    const asked = request(options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const entries = Object.entries(answer.headers).filter(([name]) => !unsaid.includes(name))
        const told = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
        resolve(said(answer.statusCode ?? 0, Buffer.concat(chunks).toString(), told))
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** Closes the connections that were kept. */
export function hangUp(): void {
  agent.destroy()
}
