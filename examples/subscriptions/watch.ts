import type { McpCaller } from 'castellan/client'

/** Follows orders until one changes: calls `ready` when no change is missed any more, and resolves with what it read anew. */
export async function nextChange(caller: McpCaller, uris: string[], ready: () => void): Promise<string> {
  for await (const event of caller.subscribe({ resourceSubscriptions: uris })) {
    if (event.kind === 'acknowledged') ready()
    if (event.kind !== 'resource_updated') continue
    const { contents } = await caller.request('resources/read', { uri: event.uri })
    const [first] = contents as { text: string }[]
    return `${event.uri} is ${first?.text ?? 'gone'}`
  }
  throw new Error('The server has ended the subscription')
}
