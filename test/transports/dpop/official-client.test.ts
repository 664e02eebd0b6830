import { randomBytes } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { memoryAuthorizationStore } from 'castellan/store'
import { clientCredentialsTransport, secretBasic } from 'castellan/transports'
import { expect, test } from 'vitest'
import { offer } from '../../fastify/notes.js'
import { client as job, protectedServer } from '../protected-server.js'

const eras = {
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  '2025-11-25': {},
} as const

test.each(['2026-07-28', '2025-11-25'] as const)(
  'A61 B2 the official client speaking %s proves every request',
  async (era) => {
    const dpop = { required: true, nonce: { secret: randomBytes(32) } }
    const server = await protectedServer({ ...offer, dpop, server: { clients: [job], dpopNonces: true } })
    const transport = clientCredentialsTransport({
      endpoint: server.endpoint,
      registration: secretBasic({ ...job, issuer: server.as.issuer, allowLoopbackHttp: true }),
      store: memoryAuthorizationStore(),
      dpop: true,
      allowLoopbackHttp: true,
    })
    const client = new Client({ name: 'official', version: '1.0.0' }, eras[era])
    await client.connect(
      new StreamableHTTPClientTransport(new URL(transport.endpoint), { fetch: transport.fetch }),
    )
    const echoed = await client.callTool({ name: 'echo', arguments: { text: 'ha', times: 2 } })
    expect(echoed.structuredContent).toEqual({ text: 'haha' })
    await client.close()
    await transport.close()
    await server.stop()
  },
)
