import { modern } from '../wire.js'

/** One request as bytes: header lines may repeat or be wrong, the framing may lie. */
export interface HostileRequest {
  readonly method: string
  readonly target: string
  /** Header lines besides `Host`, `Connection` and those that frame the body. */
  readonly lines: readonly string[]
  readonly body: string | Uint8Array
  /** The lines that frame the body; an honest `Content-Length` when left out. */
  readonly framing?: readonly string[]
  /** The lines that name the host and end the connection, when they are not the usual ones. */
  readonly connection?: readonly string[]
  readonly httpVersion?: string
  /** Everything that is sent, when it cannot be put together from the rest. */
  readonly bytes?: Uint8Array
  /** Whether the client closes its side after the last byte, since the server waits for more. */
  readonly halfClose?: boolean
}

/** What has to come back. */
export interface Expected {
  readonly status: number
  /** `result` and `isError` stand for results, a number for an error, `empty` for no body, `http` for one not ours. */
  readonly body: number | 'result' | 'isError' | 'empty' | 'http'
  /** JSON text of the id that is echoed; absent when none may be. */
  readonly id?: string
  /** Whether an interim answer comes first. */
  readonly interim?: true
}

/** One malformed request and its answer. */
export interface Row {
  readonly name: string
  readonly request: HostileRequest
  readonly expected: Expected
  /** Where it runs when not on both. */
  readonly only?: 'open' | 'guarded'
}

export const json = 'Content-Type: application/json'
const accept = 'Accept: application/json, text/event-stream'
export const legacyVersion = '2025-11-25'

/** The JSON text of an id in rows whose id does not matter. */
export const id = '"h-1"'

export const refused = (status: number, code: number, echoed?: string): Expected => ({
  status,
  body: code,
  ...(echoed === undefined ? {} : { id: echoed }),
})
export const answered = (echoed = id): Expected => ({ status: 200, body: 'result', id: echoed })
export const failed = (echoed = id): Expected => ({ status: 200, body: 'isError', id: echoed })
export const empty = (status: number): Expected => ({ status, body: 'empty' })
/** An answer of the HTTP layer or of the host, before anything of MCP is looked at. */
export const http = (status: number): Expected => ({ status, body: 'http' })

export type HeaderChange = Readonly<Record<string, string | readonly string[] | undefined>>

/** A 2026-07-28 request; `change` alters headers: `undefined` drops one, a list repeats it. */
export function modernPost(
  method: string,
  params: Record<string, unknown> = {},
  change: HeaderChange = {},
): HostileRequest {
  const { body, headers } = modern(method, params, { id: 'h-1' })
  return { method: 'POST', target: '/mcp', lines: changed(headers, change), body: JSON.stringify(body) }
}

/** A 2025-11-25 request with its version header. */
export function legacyPost(method: string, params?: unknown, change: HeaderChange = {}): HostileRequest {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'h-1', method, params })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': legacyVersion,
  }
  return { method: 'POST', target: '/mcp', lines: changed(headers, change), body }
}

function changed(headers: Readonly<Record<string, string>>, change: HeaderChange): string[] {
  return Object.entries({ ...headers, ...change }).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => `${name}: ${one}`),
  )
}

/** Any bytes as a POST of either revision. */
export function posted(body: string | Uint8Array, lines: readonly string[] = [json, accept]): HostileRequest {
  return { method: 'POST', target: '/mcp', lines, body }
}

/** The same request with its body text rewritten. */
export function rewritten(request: HostileRequest, from: string | RegExp, to: string): HostileRequest {
  const before = request.body as string
  const body = before.replace(from, () => to)
  if (body === before) throw new Error(`Nothing to rewrite: ${String(from)} in ${before}`)
  return { ...request, body }
}

/** The same request with another id, given as JSON text. */
export const withId = (request: HostileRequest, text: string) =>
  rewritten(request, '"id":"h-1"', `"id":${text}`)

const usual = ['Host: localhost', 'Connection: close']

export function bytesOf(request: HostileRequest, more: readonly string[] = []): Buffer {
  if (request.bytes !== undefined) return Buffer.from(request.bytes)
  const body = Buffer.from(request.body)
  const lines = [
    `${request.method} ${request.target} ${request.httpVersion ?? 'HTTP/1.1'}`,
    ...(request.connection ?? usual),
    ...request.lines,
    ...more,
    ...(request.framing ?? [`Content-Length: ${body.length}`]),
    '',
    '',
  ]
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body])
}

/** The body as one chunk, or as several of `size` bytes. */
export function chunked(body: string, size = Infinity): string {
  const bytes = Buffer.from(body)
  let framed = ''
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + Math.min(size, bytes.length))
    framed += `${piece.length.toString(16)}\r\n${piece.toString('latin1')}\r\n`
  }
  return `${framed}0\r\n\r\n`
}
