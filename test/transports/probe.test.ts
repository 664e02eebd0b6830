import type { IncomingHttpHeaders } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { ExchangeError, type HttpExchange } from '../../src/network/http-exchange.js'
import { undiciExchange } from '../../src/network/http-undici-exchange.js'
import { loopbackServer, type LoopbackServer } from '../../src/testing/loopback-server.js'
import { probe } from '../../src/transports/probe.js'

const { signal } = new AbortController()
let server: LoopbackServer
let exchange: HttpExchange
let seen: { headers: IncomingHttpHeaders; body: any }[]
afterEach(async () => {
  await exchange.close()
  await server.close()
})

async function answering(status: number, challenge?: string) {
  seen = []
  server = await loopbackServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
      response.writeHead(status, challenge === undefined ? {} : { 'www-authenticate': challenge }).end()
    })
  })
  exchange = undiciExchange(`${server.origin}/mcp`)
}

describe('a request without credentials', () => {
  test('B3 B5 is a discovery with an id of its own, and says nothing about anybody', async () => {
    await answering(401)
    await probe(exchange, signal)
    await probe(exchange, signal)
    for (const { headers, body } of seen) {
      expect(body).toMatchObject({ jsonrpc: '2.0', method: 'server/discover' })
      expect(headers).toMatchObject({ 'mcp-method': 'server/discover', 'mcp-protocol-version': '2026-07-28' })
      for (const name of ['authorization', 'dpop', 'cookie', 'referer'])
        expect(headers).not.toHaveProperty(name)
      expect(Object.keys(body.params)).toEqual(['_meta'])
      expect(JSON.stringify(body)).not.toContain('clientInfo')
    }
    expect(new Set(seen.map(({ body }) => body.id)).size).toBe(2)
  })

  test('B4 learns from a 401 where to ask, and for what', async () => {
    await answering(401, 'Bearer resource_metadata="https://h/metadata", scope="a b"')
    expect(await probe(exchange, signal)).toMatchObject({
      status: 401,
      challenge: { resourceMetadata: 'https://h/metadata', scope: ['a', 'b'] },
    })
  })

  test.each([200, 307, 403, 404, 405, 500, 503])('B4 learns nothing from %i', async (status) => {
    await answering(status, 'Bearer scope="a"')
    expect(await probe(exchange, signal)).toEqual({ status, challenge: undefined })
  })

  test('B4 B8 that is not answered leaves the request it was for unsent', async () => {
    await answering(401)
    await server.close()
    const error: unknown = await probe(exchange, signal).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ExchangeError)
    expect(error).toMatchObject({ sent: false })
  })
})
