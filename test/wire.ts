import { connect } from 'node:net'

/** One POST as a test sends it. */
export interface WireRequest {
  readonly body: unknown
  readonly headers: Record<string, string>
}

export interface WireAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON of the body; undefined when it is empty or an event stream. */
  readonly json: any
}

export const version = '2026-07-28'

export function meta(extra: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...extra,
  }
}

const nameOf = (params: Record<string, unknown>) => (params['name'] ?? params['uri']) as string | undefined

/** A well-formed 2026-07-28 request; `change` alters headers, and the body is yours to alter. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  { id = 1, headers = {} }: { id?: unknown; headers?: Record<string, string | undefined> } = {},
): WireRequest {
  const name = ['tools/call', 'prompts/get', 'resources/read'].includes(method) ? nameOf(params) : undefined
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'mcp-method': method,
    'mcp-name': name,
    ...headers,
  }
  return {
    body: { jsonrpc: '2.0', id, method, params: { _meta: meta(), ...params } },
    headers: Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  }
}

export async function post(url: string, { body, headers }: WireRequest): Promise<WireAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  })
  return read(response)
}

export async function read(response: Response): Promise<WireAnswer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  }
}

/** The messages of an event stream. */
export function events(text: string): any[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)))
}

/** Writes bytes to a socket, piece by piece, and resolves with what comes back until the other side closes. */
export async function rawExchange(port: number, pieces: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setNoDelay(true)
  socket.on('data', (chunk) => (received += chunk.toString('latin1')))
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('close', () => resolve())
    socket.once('error', reject)
  })
  for (const piece of pieces) {
    await new Promise<void>((resolve) => socket.write(piece, () => setImmediate(resolve)))
  }
  await closed
  return received
}

/** A POST in raw HTTP/1.1, closing the connection after the answer; header lines may repeat. */
export function rawPost(path: string, lines: readonly string[], body: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...lines,
    '',
    body,
  ].join('\r\n')
}
