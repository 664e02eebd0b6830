/** What every contender is asked, and who asks. */
export const issuer = 'https://login.example.com'
export const resource = 'https://api.example.com/mcp'
/** Connections that ask a server at the same time. */
export const connections = 64
export const scope = 'bench:use'
export const serverInfo = { name: 'bench', version: '1.0.0' }

export const revision = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const echoedText = 'the quick brown fox jumps over the lazy dog'

/** One call of `echo` as a JSON-RPC request. */
export function callMessage(id: number, input: { readonly text: string }) {
  const params = { name: 'echo', arguments: input, _meta: meta }
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

/** The headers of one call of `echo`. */
export const callHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': revision,
  'mcp-method': 'tools/call',
  'mcp-name': 'echo',
}

/** The bytes of one `POST /mcp`, ready to be written to a socket. */
export function requestBytes(method: 'tools/call' | 'tools/list', token?: string, proof?: string): Buffer {
  const params = method === 'tools/call' ? { name: 'echo', arguments: { text: echoedText } } : {}
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } })
  const lines = [
    'POST /mcp HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${revision}`,
    `Mcp-Method: ${method}`,
    ...(method === 'tools/call' ? ['Mcp-Name: echo'] : []),
    ...(token === undefined ? [] : [`Authorization: ${proof === undefined ? 'Bearer' : 'DPoP'} ${token}`]),
    ...(proof === undefined ? [] : [`DPoP: ${proof}`]),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** The answer the hand-written contenders give; what Castellan and the SDK answer is the same. */
export function echoResult(text: string) {
  return {
    resultType: 'complete',
    content: [{ type: 'text', text: JSON.stringify({ text }) }],
    structuredContent: { text },
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  }
}

/** Names of the tools that only make the catalog long. */
export function fillerNames(tools: number): string[] {
  return Array.from({ length: tools - 1 }, (_, index) => `filler_${index + 1}`)
}
