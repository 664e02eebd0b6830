import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { HttpLimits } from '../../src/network/bounded-http.js'
import { documentFetcher, type FetchedDocument } from '../../src/network/document-fetcher.js'
import { loopbackServer } from '../../src/testing/loopback-server.js'

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close()
})

async function get(listener: RequestListener, limits?: HttpLimits): Promise<FetchedDocument> {
  const server = await loopbackServer(listener)
  const fetcher = documentFetcher(limits)
  cleanUp.push(
    () => fetcher.close(),
    () => server.close(),
  )
  return fetcher.get(`${server.origin}/doc?x=1`)
}

const answer =
  (body: string | Buffer, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status).end(body)

describe('A75 bounded documents', () => {
  it('reads a JSON object whatever its content type, and asks for JSON without a content coding', async () => {
    const seen: unknown[] = []
    const fetched = await get((request, response) => {
      seen.push(request.url, request.headers.accept, request.headers['accept-encoding'])
      response.writeHead(200, { 'content-type': 'text/plain' }).end('{"keys":[]}')
    })
    expect(fetched).toEqual({ ok: true, document: { keys: [] } })
    expect(seen).toEqual(['/doc?x=1', 'application/json', undefined])
  })

  it.each([301, 302, 303, 307, 308])('refuses a %i and never follows it', async (status) => {
    let requests = 0
    const fetched = await get((request, response) => {
      requests += 1
      if (request.url === '/doc?x=1') response.writeHead(status, { location: '/other' }).end('{}')
      else response.end('{}')
    })
    expect(fetched).toEqual({ ok: false, fault: 'redirect', status })
    expect(requests).toBe(1)
  })

  it.each([204, 400, 401, 404, 429, 500, 503])('refuses a %i', async (status) => {
    expect(await get(answer(status === 204 ? '' : '{}', status))).toEqual({
      ok: false,
      fault: 'status',
      status,
    })
  })

  it.each([
    ['broken JSON', '{"keys":'],
    ['nothing', ''],
    ['HTML', '<!doctype html>'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a body compressed unasked', gzipSync('{}')],
  ])('refuses %s', async (_, body) => {
    expect(await get(answer(body))).toEqual({ ok: false, fault: 'json' })
  })

  it('takes 256 KiB and refuses one byte more', async () => {
    const document = (size: number) => `{"x":"${'y'.repeat(size - 8)}"}`
    expect(await get(answer(document(262_144)))).toMatchObject({ ok: true })
    expect(await get(answer(document(262_145)))).toEqual({ ok: false, fault: 'size' })
  })

  it('G12 stops reading an endless body', async () => {
    let sent = 0
    const fetched = await get((_, response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(65_536, ' '), () => (sent += 1)), 1)
      response.on('close', () => clearInterval(timer))
    })
    expect(fetched).toEqual({ ok: false, fault: 'size' })
    expect(sent).toBeLessThan(200)
  })

  it('gives up on an answer that does not begin', async () => {
    expect(await get(() => undefined, { timeoutMilliseconds: 50 })).toEqual({ ok: false, fault: 'timeout' })
  })

  it('gives up on a body that drips past the overall time', async () => {
    const drip: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(timer))
    }
    expect(await get(drip, { timeoutMilliseconds: 80 })).toEqual({ ok: false, fault: 'timeout' })
  })

  it('tells a dropped connection, after which the request may have been read, from one that never stood', async () => {
    expect(await get((_, response) => void response.destroy())).toEqual({ ok: false, fault: 'lost' })
    const server = await loopbackServer(answer('{}'))
    await server.close()
    const fetcher = documentFetcher()
    expect(await fetcher.get(server.origin)).toEqual({ ok: false, fault: 'unreachable' })
    await fetcher.close()
    expect(await fetcher.get(server.origin)).toEqual({ ok: false, fault: 'unreachable' })
  })
})
