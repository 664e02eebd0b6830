import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { memoryAuthorizationStore } from 'castellan/store'
import { clientCredentialsTransport, secretBasic } from 'castellan/transports'
import { client as job, type ProtectedServer } from './protected-server.js'

export const eras = ['2026-07-28', '2025-11-25'] as const
type Era = (typeof eras)[number]

/** The official client over a transport of an application that acts as itself. */
export function officialJob({ endpoint, as }: ProtectedServer, era: Era, dpop = false) {
  const transport = clientCredentialsTransport({
    endpoint,
    registration: secretBasic({ ...job, issuer: as.issuer, allowLoopbackHttp: true }),
    store: memoryAuthorizationStore(),
    dpop,
    allowLoopbackHttp: true,
  })
  const negotiation = era === '2026-07-28' ? { versionNegotiation: { mode: { pin: era } } } : {}
  const client = new Client({ name: 'official', version: '1.0.0' }, negotiation)
  return {
    client,
    connect: () =>
      client.connect(
        new StreamableHTTPClientTransport(new URL(transport.endpoint), { fetch: transport.fetch }),
      ),
    close: async () => {
      await client.close()
      await transport.close()
    },
  }
}
