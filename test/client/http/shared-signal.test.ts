import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, httpCaller } from 'castellan/client'
import { expect, test } from 'vitest'

test('B149 a hundred calls may share one signal without a warning, and leave no listener', async () => {
  const warnings: string[] = []
  const warned = (warning: Error) => void warnings.push(warning.name)
  process.on('warning', warned)
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { id } = JSON.parse(body) as { id: string }
      const result = { resultType: 'complete', content: [], structuredContent: { ok: true } }
      response.setHeader('content-type', 'application/json')
      setTimeout(() => response.end(JSON.stringify({ jsonrpc: '2.0', id, result })), 20)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const caller = httpCaller({
    endpoint: `http://127.0.0.1:${port}/mcp`,
    clientInfo: { name: 't', version: '1' },
  })
  const client = createClient(caller)
  const { signal } = new AbortController()
  const calls = Array.from({ length: 100 }, () =>
    client.caller
      .request('prompts/get', { name: 'x' }, { signal, onProgress: () => undefined })
      .catch(() => 'judged'),
  )
  await Promise.all(calls)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', warned)
  expect(warnings).toEqual([])
  await client.close()
  server.close()
})
