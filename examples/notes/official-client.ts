import assert from 'node:assert/strict'
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { ConfidentialClient } from './authorization-server.js'
import type { Transcript } from './transcript.js'

export interface OfficialClientWorld {
  readonly url: string
  readonly issuer: string
  readonly client: ConfidentialClient
  readonly text: string
  readonly revision: '2026-07-28' | '2025-11-25'
}

/** The official SDK's client finds the authorization server, gets its own token and calls the tools. */
export async function callWithOfficialClient(world: OfficialClientWorld, transcript: Transcript) {
  const client = new Client(
    { name: 'official-client', version: '1.0.0' },
    { versionNegotiation: { mode: world.revision === '2025-11-25' ? 'legacy' : { pin: world.revision } } },
  )
  const authProvider = new ClientCredentialsProvider({
    ...world.client,
    expectedIssuer: world.issuer,
    scope: 'notes:read notes:write',
  })
  transcript.sent(`connect ${world.url}  with client credentials, speaking ${world.revision}`)
  await client.connect(new StreamableHTTPClientTransport(new URL(world.url), { authProvider }))
  try {
    assert.equal(client.getNegotiatedProtocolVersion(), world.revision)
    transcript.got(`connected to ${client.getServerVersion()?.name ?? ''}`)
    transcript.sent(`callTool add_note ${JSON.stringify({ text: world.text })}`)
    const added = await client.callTool({ name: 'add_note', arguments: { text: world.text } })
    assert.notEqual(added.isError, true)
    transcript.got(JSON.stringify(added.structuredContent))
    return added.structuredContent
  } finally {
    await client.close()
  }
}
