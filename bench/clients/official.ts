import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { revision, serverInfo } from '../workload.js'
import type { Connect } from './connect.js'

/** `listed`: the client has read the tools, so that it judges results by their schemas. */
export const connect: Connect = async (url, [way]) => {
  const client = new Client(serverInfo, { versionNegotiation: { mode: { pin: revision } } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  if (way === 'listed') await client.listTools()
  return async (input) => {
    const { structuredContent } = await client.callTool({ name: 'echo', arguments: { ...input } })
    return (structuredContent as { readonly text?: unknown } | undefined)?.text
  }
}
