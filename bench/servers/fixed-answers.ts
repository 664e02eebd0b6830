import { createServer, type AddressInfo } from 'node:net'
import { RequestReader } from '../request-reader.js'
import { echoedText, echoResult, revision, serverInfo } from '../workload.js'

const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const tool = { name: 'echo', description: 'Says it again', inputSchema: schema, outputSchema: schema }
const kept = { resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'public' }

const results = new Map<string, string>(
  Object.entries({
    'server/discover': { ...kept, supportedVersions: [revision], capabilities: { tools: {} }, serverInfo },
    'tools/list': { ...kept, tools: [tool] },
    'tools/call': echoResult(echoedText),
  }).map(([method, result]) => [method, JSON.stringify(result)]),
)

/** Answers from prepared text with the id of the request; only the framing of HTTP is read. */
function answer(text: string): string {
  const { id, method } = JSON.parse(text) as { readonly id: unknown; readonly method: string }
  const result = results.get(method)
  if (result === undefined) return 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'
  const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

const server = createServer({ noDelay: true }, (socket) => {
  const reader = new RequestReader((text) => socket.write(answer(text)))
  socket.on('data', (bytes) => reader.push(bytes))
  socket.on('error', () => socket.destroy())
})
server.listen(0, '127.0.0.1', () => console.log(`READY ${(server.address() as AddressInfo).port}`))
