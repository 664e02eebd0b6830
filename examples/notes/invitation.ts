import type { Demo } from './demo.js'

/** What a reader of the transcript can try next, while both servers stay up. */
export function invitation({ url, authorization }: Demo, token: string): string {
  const { clientId, clientSecret } = authorization.client
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_notes', arguments: {}, _meta: meta },
  }
  return `
Both servers stay up until Ctrl-C.

  MCP endpoint           ${url}
  authorization server   ${authorization.issuer}

Call it yourself. The token below is a demo token: it is good for an hour, for this process only.

  TOKEN=${token}
  curl -s ${url} \\
    -H "Authorization: Bearer $TOKEN" \\
    -H 'Content-Type: application/json' \\
    -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: list_notes' \\
    -d '${JSON.stringify(body)}'

Get another token:

  curl -s -u ${clientId}:${clientSecret} ${authorization.issuer}/token \\
    -d grant_type=client_credentials -d scope='notes:read notes:write' --data-urlencode resource=${url}

Connect a real MCP client: any client that takes a URL and headers for a "streamable HTTP" server, for example

  { "mcpServers": { "notes": { "type": "http", "url": "${url}",
      "headers": { "Authorization": "Bearer \${TOKEN}" } } } }

A client with client credentials of its own needs only the URL, the client id ${clientId} and the secret above.
`
}
