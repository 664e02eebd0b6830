import { Client as OfficialClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createClient, httpCaller, type Client } from 'castellan/client'
import { ConsentRequiredError } from 'castellan/transports'
import { authorizedClient, type AuthContext, type AuthorizedClient } from './auth-transports.js'

const clientInfo = { name: 'castellan-everything-client', version: '1.0.0' }
const mostConsents = 2

/** Scenarios that a client must not get through, and what it says then. */
const refusals = new Map([
  ['auth/resource-mismatch', 'ERR_DISCOVERY'],
  ['auth/metadata-issuer-mismatch', 'ERR_DISCOVERY'],
  ['auth/iss-supported-missing', 'ERR_CONSENT'],
  ['auth/iss-wrong-issuer', 'ERR_CONSENT'],
  ['auth/iss-unexpected', 'ERR_CONSENT'],
  ['auth/iss-normalized', 'ERR_CONSENT'],
  ['auth/scope-retry-limit', 'ERR_INSUFFICIENT_SCOPE'],
])

/** One scenario of authorization: lists the tools and calls one, by our client or by the official one over our transport. */
export async function playAuthorized(
  scenario: string,
  revision: string,
  endpoint: string,
  context: AuthContext,
): Promise<void> {
  const client = authorizedClient(scenario, endpoint, context)
  const isModern = revision === '2026-07-28'
  const refusal = refusals.get(scenario)
  try {
    await (isModern ? playModern(client) : playOfficial(client))
    if (refusal !== undefined) throw new Error(`${scenario} went through`)
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (refusal === undefined || (isModern && code !== refusal)) throw error
  } finally {
    await client.transport.close()
  }
}

async function playModern(authorized: AuthorizedClient): Promise<void> {
  const { transport } = authorized
  const client: Client = createClient(httpCaller({ clientInfo, transport }))
  await consenting(authorized, async () => {
    for await (const tool of client.tools()) console.log(tool.name)
  })
  await consenting(authorized, () => client.callRaw('test-tool', {}))
}

/** The official client sees a plain `fetch`; whoever runs it takes the user through the browser. */
async function playOfficial(authorized: AuthorizedClient): Promise<void> {
  const { transport } = authorized
  const fetch: typeof globalThis.fetch = (input, init) =>
    consenting(authorized, () => transport.fetch(input, init))
  const client = new OfficialClient(clientInfo)
  await client.connect(new StreamableHTTPClientTransport(new URL(transport.endpoint), { fetch }))
  await client.listTools()
  await client.callTool({ name: 'test-tool', arguments: {} })
  await client.close()
}

async function consenting<T>(authorized: AuthorizedClient, call: () => Promise<T>): Promise<T> {
  for (let consents = 0; ; consents += 1) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ConsentRequiredError) || consents === mostConsents) throw error
      await authorized.consent(error.url)
    }
  }
}
