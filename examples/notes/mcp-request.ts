import type { Transcript } from './transcript.js'

export interface McpAnswer {
  readonly status: number
  readonly challenge: string | null
  readonly body: { readonly result?: Record<string, unknown>; readonly error?: unknown }
}

export interface McpCall {
  readonly url: string
  readonly token?: string
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
  /** What the request is about: the name of a tool or prompt, or a URI. */
  readonly name?: string
}

const revision = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'notes-story', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** One request of revision 2026-07-28, with nothing but fetch. */
export async function mcpRequest(call: McpCall, transcript: Transcript): Promise<McpAnswer> {
  const { url, token, method, params, name } = call
  transcript.sent(`POST ${url}  ${method}${name === undefined ? '' : ` ${name}`}`)
  if (token !== undefined) transcript.sent(`Authorization: Bearer ${token}`)
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  })
  const challenge = response.headers.get('www-authenticate')
  const text = await response.text()
  transcript.got(`${response.status} ${response.statusText}`)
  if (challenge !== null) transcript.got(`WWW-Authenticate: ${challenge}`)
  return { status: response.status, challenge, body: parsed(text) }
}

function parsed(text: string): McpAnswer['body'] {
  try {
    return JSON.parse(text) as McpAnswer['body']
  } catch {
    return {}
  }
}

/** A parameter of a Bearer challenge. */
export function challengeParameter(challenge: string | null, name: string): string | undefined {
  return new RegExp(`[ ,]${name}="([^"]*)"`).exec(challenge ?? '')?.[1]
}
