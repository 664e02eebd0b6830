import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modern, post, rawExchange, rawPost } from '../wire.js'
import { offer } from './notes.js'
import { listen, type RunningServer } from './server.js'

let server: RunningServer
beforeAll(async () => {
  server = await listen(offer)
})
afterAll(() => server.app.close())

describe('ids', () => {
  test.each(['9007199254740993', '-9223372036854775809', '0', '""', '"é"'])(
    'G-22 id %s comes back as it is',
    async (id) => {
      const { body, headers } = modern('tools/list')
      const text = JSON.stringify(body).replace('"id":1', `"id":${id}`)
      expect((await post(server.url, { body: text, headers })).text).toContain(`"id":${id},`)
      const bad = text.replace('tools/list', 'nothing')
      expect(
        (await post(server.url, { body: bad, headers: { ...headers, 'mcp-method': 'nothing' } })).text,
      ).toContain(`"id":${id},`)
    },
  )
})

describe('raw sockets', () => {
  test('HDR-2 a header that stands twice differs from the body', async () => {
    const { body, headers } = modern('tools/list')
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const twice = await rawExchange(server.port, [
      rawPost('/mcp', [...lines, 'Mcp-Method: tools/list'], JSON.stringify(body)),
    ])
    expect(twice).toMatch(/^HTTP\/1\.1 400 /)
    expect(twice).toContain('-32020')
  })

  test('HDR-7 HDR-8 names compare without case, blanks around values go', async () => {
    const { body } = modern('tools/list')
    const request = rawPost(
      '/mcp',
      ['CONTENT-TYPE:application/json', 'MCP-PROTOCOL-VERSION:   2026-07-28  ', 'mCP-mETHOD:\ttools/list\t'],
      JSON.stringify(body),
    )
    expect(await rawExchange(server.port, [request])).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('a body split into single bytes is read as one', async () => {
    const { body, headers } = modern('tools/call', { name: 'echo', arguments: { text: 'Zürich 🏰' } })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const bytes = Buffer.from(rawPost('/mcp', lines, JSON.stringify(body)))
    const answer = await rawExchange(
      server.port,
      [...bytes].map((byte) => Uint8Array.of(byte)),
    )
    expect(Buffer.from(answer, 'latin1').toString()).toContain('Zürich 🏰')
  })

  test('B139 bytes that are not UTF-8 are not JSON', async () => {
    const { headers } = modern('tools/list')
    const { status, json } = await post(server.url, { body: Uint8Array.from([0x22, 0xff, 0x22]), headers })
    expect({ status, code: json.error.code }).toEqual({ status: 400, code: -32700 })
  })
})
