import assert from 'node:assert/strict'
import { jwtResourceServer } from 'castellan/resource-server'
import { testAuthorizationServer, type TestAuthorizationServer } from 'castellan/testing'
import type { FastifyInstance } from 'fastify'
import { freePort } from '../free-port.js'
import { mcpRequest } from '../notes/mcp-request.js'
import { silence } from '../notes/transcript.js'
import { Orders } from './orders.js'
import { temporaryPostgres } from './postgres.js'
import { restAnswers } from './rest-answers.js'
import { existingApp } from './server.js'

interface World {
  readonly base: string
  readonly authorization: TestAuthorizationServer
  readonly token: (...scopes: string[]) => Promise<string>
}

/** Runs the app without and with MCP on a PostgreSQL of its own and throws at the first difference. */
export async function check(): Promise<void> {
  const before = await running(false, restAnswers)
  const after = await running(true, restAnswers)
  assert.deepEqual(after, before)
  assert.equal(before.length, 15)
  await running(true, async (world) => {
    await fiveRoutesAreTools(world)
    await toolsWork(world)
    await scopesAreAskedForAtOnce(world)
    await refusalsAreToolErrors(world)
  })
}

/** Every run starts with the same orders. */
async function running<T>(withMcp: boolean, use: (world: World) => Promise<T>): Promise<T> {
  const database = await temporaryPostgres()
  const authorization = await testAuthorizationServer()
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const resource = `${base}/mcp`
  const auth = jwtResourceServer({ resource, issuer: authorization.issuer, allowLoopbackHttp: true })
  let app: FastifyInstance | undefined
  try {
    const orders = new Orders(database.pool)
    await orders.create()
    app = await existingApp({ auth, orders, withMcp })
    await app.listen({ port, host: '127.0.0.1' })
    const token = (...scopes: string[]) => authorization.mint({ resource, scopes, subject: 'alice' })
    return await use({ base, authorization, token })
  } finally {
    await app?.close()
    await auth.close()
    await authorization.close()
    await database.close()
  }
}

interface ToolAnswer {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent?: unknown
}

async function call({ base }: World, token: string, name: string, args: Record<string, unknown>) {
  const params = { name, arguments: args }
  const answer = await mcpRequest({ url: `${base}/mcp`, token, method: 'tools/call', name, params }, silence)
  return { ...answer, result: answer.body.result as unknown as ToolAnswer }
}

async function fiveRoutesAreTools({ base, token }: World): Promise<void> {
  const list = { url: `${base}/mcp`, token: await token(), method: 'tools/list' }
  const { body } = await mcpRequest(list, silence)
  const tools = body.result?.['tools'] as { name: string; inputSchema: { properties: object } }[]
  assert.deepEqual(
    tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]),
    [
      ['list_orders', ['status', 'limit']],
      ['get_order', ['id']],
      ['add_order', ['id', 'customer', 'cents']],
      ['set_order_status', ['id', 'status']],
      ['remove_order', ['id']],
    ],
  )
}

async function toolsWork(world: World): Promise<void> {
  const token = await world.token('orders:read', 'orders:write')
  const added = { id: 'H/1 ü', customer: 'hooli', cents: 7, status: 'open' }
  const steps: [string, Record<string, unknown>, unknown][] = [
    ['add_order', { id: added.id, customer: 'hooli', cents: 7 }, added],
    ['get_order', { id: added.id }, added],
    ['set_order_status', { id: added.id, status: 'paid' }, { ...added, status: 'paid' }],
    [
      'list_orders',
      { status: ['paid'], limit: 1 },
      { orders: [{ id: 'A/2', customer: 'acme', cents: 3400, status: 'paid' }] },
    ],
  ]
  for (const [name, args, expected] of steps) {
    const { result } = await call(world, token, name, args)
    assert.deepEqual(result.structuredContent, expected, name)
  }
  const { result } = await call(world, token, 'remove_order', { id: added.id })
  assert.equal(result.content[0]?.text, '204 No Content')
}

async function scopesAreAskedForAtOnce(world: World): Promise<void> {
  const reader = await world.token('orders:read')
  const { status, challenge } = await call(world, reader, 'remove_order', { id: 'A/1' })
  assert.equal(status, 403)
  assert.match(challenge ?? '', /error="insufficient_scope", scope="orders:read orders:write"$/)
}

/** In the words of the app; a value that spells another route, which is no tool, reaches nothing. */
async function refusalsAreToolErrors(world: World): Promise<void> {
  const token = await world.token('orders:read', 'orders:write')
  for (const [name, args, message] of [
    ['get_order', { id: 'Z/9' }, 'There is no order Z/9'],
    ['add_order', { id: 'A/1', customer: 'acme', cents: 1 }, 'There is an order A/1 already'],
    ['add_order', { id: 'A/3', customer: 'acme', cents: 0 }, 'body/cents must be >= 1'],
    ['get_order', { id: 'count' }, 'Route GET:/v1/orders/count not found'],
  ] as const) {
    const { status, challenge, result } = await call(world, token, name, args)
    assert.deepEqual([status, challenge, result.isError], [200, null, true])
    assert.equal(result.content[0]?.text, message)
  }
}
