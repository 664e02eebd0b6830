import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { memoryAuthorizationStore } from 'castellan/store'
import { clientCredentialsTransport, secretBasic, type ClientTransport } from 'castellan/transports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offer, progress } from '../fastify/notes.js'
import { client as job, protectedServer, type ProtectedServer } from './protected-server.js'

let server: ProtectedServer
beforeAll(async () => {
  server = await protectedServer({ ...offer, tools: [...(offer.tools ?? []), progress] })
})
afterAll(() => server.stop())

const eras = {
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  '2025-11-25': {},
} as const

describe.each(['2026-07-28', '2025-11-25'] as const)(
  'the official client speaking %s over a transport',
  (era) => {
    let client: Client
    let transport: ClientTransport
    beforeAll(async () => {
      transport = clientCredentialsTransport({
        endpoint: server.endpoint,
        registration: secretBasic({ ...job, issuer: server.as.issuer, allowLoopbackHttp: true }),
        store: memoryAuthorizationStore(),
        allowLoopbackHttp: true,
      })
      client = new Client({ name: 'official', version: '1.0.0' }, eras[era])
      await client.connect(
        new StreamableHTTPClientTransport(new URL(transport.endpoint), { fetch: transport.fetch }),
      )
    })
    afterAll(async () => {
      await client.close()
      await transport.close()
    })

    test('B1 B2 lists, calls and reads with a token on every request', async () => {
      const before = server.seen.length
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
      const echoed = await client.callTool({ name: 'echo', arguments: { text: 'ha', times: 2 } })
      expect(echoed.structuredContent).toEqual({ text: 'haha' })
      const read = await client.readResource({ uri: 'notes://note/7' })
      expect(read.contents[0]).toMatchObject({ text: 'note 7' })
      const later = server.seen.slice(before)
      expect(later.length).toBeGreaterThanOrEqual(3)
      expect(new Set(later.map(({ token }) => token)).size).toBe(1)
      expect(later[0]?.token).toBeDefined()
    })

    test('gets events as they come', async () => {
      const seen: number[] = []
      await client.callTool(
        { name: 'progress', arguments: { steps: [1, 2, 3] } },
        { onprogress: ({ progress: value }) => seen.push(value) },
      )
      expect(seen).toEqual([1, 2, 3])
    })

    test('B2 is told why nothing was sent', async () => {
      const end = server.as.fault('token', 'outage')
      const fresh = clientCredentialsTransport({
        endpoint: server.endpoint,
        registration: secretBasic({ ...job, issuer: server.as.issuer, allowLoopbackHttp: true }),
        store: memoryAuthorizationStore(),
        allowLoopbackHttp: true,
      })
      const other = new Client({ name: 'official', version: '1.0.0' }, eras[era])
      const connecting = other.connect(
        new StreamableHTTPClientTransport(new URL(fresh.endpoint), { fetch: fresh.fetch }),
      )
      await expect(connecting).rejects.toThrow(/token endpoint/)
      end()
      await fresh.close()
    })
  },
)
