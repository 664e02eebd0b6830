import assert from 'node:assert/strict'
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { testAuthorizationServer, type TestAuthorizationServer } from 'castellan/testing'
import { freePort } from '../free-port.js'
import { mcpRequest } from '../notes/mcp-request.js'
import { silence } from '../notes/transcript.js'
import { browserFetch } from './browser-fetch.js'
import { billingApp, type Billing } from './server.js'

const assistantOrigin = 'https://assistant.example.com'
const dashboardOrigin = 'https://dashboard.example.com'
const requestsPerMinute = 100
const job = { clientId: 'nightly-job', clientSecret: 'not so secret' }

interface World extends Billing {
  readonly base: string
  /** What tokens are issued for; the endpoints of all organizations lie below it. */
  readonly resource: string
  readonly authorization: TestAuthorizationServer
}

/** Starts the app and an authorization server on free ports and throws at the first difference. */
export async function check(): Promise<void> {
  const authorization = await testAuthorizationServer({ clients: [job] })
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const resource = `${base}/v1/organizations`
  const { issuer } = authorization
  const billing = await billingApp({ resource, issuer, assistantOrigin, dashboardOrigin, requestsPerMinute })
  await billing.app.listen({ port, host: '127.0.0.1' })
  const world = { ...billing, base, resource, authorization }
  try {
    await existingRoutesStay(world)
    await strangersAreTurnedAway(world)
    await scopesAreAskedForAtOnce(world)
    await urlValuesAreChecked(world)
    await aPageCalls(world)
    await aJobOfTheOlderRevisionCalls(world)
    assert.deepEqual(billing.audit, [
      { subject: 'alice', organization: 'acme', tool: 'list_invoices', outcome: 'done' },
      { subject: 'alice', organization: 'globex', tool: 'list_invoices', outcome: 'failed' },
      { subject: 'nightly-job', organization: 'acme', tool: 'list_invoices', outcome: 'done' },
      { subject: 'nightly-job', organization: 'acme', tool: 'pay_invoice', outcome: 'done' },
    ])
    await theLimitCountsEverybody(world)
  } finally {
    await billing.app.close()
    await authorization.close()
  }
}

const endpoint = ({ resource }: World, organization: string) => `${resource}/${organization}/mcp`
const openAmount = ({ resource }: World) => `${resource}/acme/open-amount`

async function existingRoutesStay(world: World): Promise<void> {
  const answer = await fetch(openAmount(world), { headers: { origin: dashboardOrigin } })
  assert.deepEqual(await answer.json(), { cents: 4600 })
  assert.equal(answer.headers.get('access-control-allow-origin'), dashboardOrigin)
  await assert.rejects(browserFetch(assistantOrigin)(openAmount(world)), TypeError)
}

async function strangersAreTurnedAway(world: World): Promise<void> {
  const { base, resource, authorization } = world
  const url = endpoint(world, 'acme')
  const place = `${base}/.well-known/oauth-protected-resource/v1/organizations`
  const answer = await mcpRequest({ url, method: 'server/discover' }, silence)
  assert.equal(answer.status, 401)
  assert.equal(answer.challenge, `Bearer resource_metadata="${place}", scope="invoices:read"`)
  const metadata = await browserFetch(assistantOrigin)(place)
  assert.deepEqual(await metadata.json(), {
    resource,
    authorization_servers: [authorization.issuer],
    scopes_supported: ['invoices:read'],
    bearer_methods_supported: ['header'],
    resource_name: 'Billing',
  })
  for (const origin of [dashboardOrigin, 'null']) {
    const refused = await fetch(url, { method: 'POST', headers: { origin } })
    assert.equal(refused.status, 403)
    assert.equal(refused.headers.get('www-authenticate'), null)
    assert.equal(refused.headers.get('x-served-by'), 'billing')
  }
}

async function scopesAreAskedForAtOnce(world: World): Promise<void> {
  const { resource, authorization } = world
  const token = await authorization.mint({ resource, scopes: ['invoices:read'], subject: 'alice' })
  const params = { name: 'pay_invoice', arguments: { id: 'inv-1' } }
  const call = { url: endpoint(world, 'acme'), token, method: 'tools/call', name: 'pay_invoice', params }
  const answer = await mcpRequest(call, silence)
  assert.equal(answer.status, 403)
  assert.match(answer.challenge ?? '', /error="insufficient_scope", scope="invoices:read invoices:pay"$/)
}

async function urlValuesAreChecked(world: World): Promise<void> {
  const { resource, authorization } = world
  const token = await authorization.mint({ resource, scopes: ['invoices:read'], subject: 'alice' })
  const answer = await mcpRequest({ url: endpoint(world, 'ACME'), token, method: 'tools/list' }, silence)
  assert.equal(answer.status, 400)
  assert.equal((answer.body.error as { code: number }).code, -32602)
}

async function aPageCalls(world: World): Promise<void> {
  const { resource, authorization } = world
  const token = await authorization.mint({ resource, scopes: ['invoices:read'], subject: 'alice' })
  for (const [organization, expected] of [
    ['acme', ['inv-1', 'inv-2']],
    ['globex', 'You are not a member of globex'],
  ] as const) {
    const client = new Client(
      { name: 'assistant', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    const transport = new StreamableHTTPClientTransport(new URL(endpoint(world, organization)), {
      fetch: browserFetch(assistantOrigin),
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    })
    await client.connect(transport)
    const { tools } = await client.listTools()
    assert.deepEqual(Object.keys(tools[0]?.inputSchema.properties ?? {}), ['unpaidOnly'])
    const answer = await client.callTool({ name: 'list_invoices', arguments: {} })
    const ids = (answer.structuredContent as { id: string }[] | undefined)?.map(({ id }) => id)
    assert.deepEqual(ids ?? (answer.content[0] as { text: string }).text, expected)
    await client.close()
  }
}

/** It finds the authorization server itself, starts with the basic scopes and asks for more when told to. */
async function aJobOfTheOlderRevisionCalls(world: World): Promise<void> {
  const { authorization } = world
  const client = new Client({ name: 'job', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  const authProvider = new ClientCredentialsProvider({ ...job, expectedIssuer: authorization.issuer })
  const url = new URL(endpoint(world, 'acme'))
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
  assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25')
  const listed = await client.callTool({ name: 'list_invoices', arguments: { unpaidOnly: true } })
  const { value } = listed.structuredContent as { value: { id: string }[] }
  assert.equal(value.length, 2)
  const tokens = authorization.requests.token
  const paid = await client.callTool({ name: 'pay_invoice', arguments: { id: 'inv-1' } })
  assert.deepEqual(paid.structuredContent, { id: 'inv-1', cents: 1200, paid: true })
  assert.equal(authorization.requests.token, tokens + 1)
  await client.close()
  assert.deepEqual(await (await fetch(openAmount(world))).json(), { cents: 3400 })
}

/** Whoever has no token is counted, too; twice the limit is enough even when its minute ends meanwhile. */
async function theLimitCountsEverybody(world: World): Promise<void> {
  const url = endpoint(world, 'acme')
  const statuses: number[] = []
  while (statuses.at(-1) !== 429 && statuses.length < 2 * requestsPerMinute) {
    statuses.push((await fetch(url, { method: 'POST' })).status)
  }
  assert.deepEqual([...new Set(statuses)], [401, 429])
  assert.equal((await fetch(openAmount(world))).status, 429)
}
