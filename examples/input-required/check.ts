import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { createClient, httpCaller, ToolExecutionError, type InputHandlers } from 'castellan/client'
import mcp from 'castellan/fastify'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { freePort } from '../free-port.js'
import { booking, bookTable, type Ledger } from './booking.js'

/** Starts two instances with one key and sends every round of a call to the other one. */
export async function check(): Promise<void> {
  const paid = new Set<string>()
  const reserved: string[] = []
  const reserve = () => {
    const reservation = randomUUID()
    reserved.push(reservation)
    return reservation
  }
  const key = randomBytes(32)
  const instances = [await instance({ paid, reserve }, key), await instance({ paid, reserve }, key)]
  const balancer = await roundRobin(instances)
  const call = (onInput: InputHandlers) => {
    const endpoint = `${address(balancer.app)}/mcp`
    return createClient(
      httpCaller({ endpoint, clientInfo: { name: 'diner', version: '1.0.0' }, onInput }),
    ).call(bookTable, { restaurant: 'Zum Turm' })
  }
  const form: InputHandlers['form'] = ({ params }) => {
    assert.equal(params.message, 'Your table at Zum Turm')
    return { action: 'accept', content: { seating: 'terrace' } }
  }
  const pay: InputHandlers['url'] = ({ params }) => {
    paid.add(params.url.split('/').at(-1) ?? '')
    return { action: 'accept' }
  }
  try {
    const table = await call({ form, url: pay })
    assert.deepEqual(table, { booking: reserved[0], seats: 2, seating: 'terrace' })
    assert.equal(reserved.length, 1)
    assert.deepEqual(balancer.visited, [0, 1, 0])

    const told = (message: RegExp) => (error: unknown) =>
      error instanceof ToolExecutionError && message.test(JSON.stringify(error.response))
    await assert.rejects(call({ form, url: () => ({ action: 'accept' }) }), told(/has not arrived/))
    await assert.rejects(
      call({ form: () => ({ action: 'cancel' }), url: pay }),
      told(/does not want a table/),
    )
  } finally {
    await Promise.all([balancer.app, ...instances].map((app) => app.close()))
  }
}

async function instance(ledger: Ledger, key: Uint8Array): Promise<FastifyInstance> {
  const app = fastify({ forceCloseConnections: true })
  await app.register(mcp, {
    path: '/mcp',
    name: 'tables',
    version: '1.0.0',
    auth: 'none',
    tools: [booking(ledger)],
    inputState: { keys: [{ id: '2026-11', key }] },
  })
  return await listening(app)
}

/** A load balancer that sends each request to the next instance, and notes to which. */
async function roundRobin(instances: readonly FastifyInstance[]) {
  const visited: number[] = []
  const app = fastify({ forceCloseConnections: true })
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  app.post('/mcp', async (request, reply) => {
    const to = visited.length % instances.length
    visited.push(to)
    const chosen = instances[to] ?? app
    const answer = await fetch(`${address(chosen)}/mcp`, {
      method: 'POST',
      headers: mcpHeaders(request.headers),
      body: new Uint8Array(request.body as Buffer),
    })
    const type = answer.headers.get('content-type') ?? 'application/json'
    return await reply
      .code(answer.status)
      .type(type)
      .send(await answer.text())
  })
  return { app: await listening(app), visited }
}

function mcpHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  const passed = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
  return Object.fromEntries(passed.map((name) => [name, String(headers[name])]))
}

async function listening(app: FastifyInstance): Promise<FastifyInstance> {
  await app.listen({ port: await freePort(), host: '127.0.0.1' })
  return app
}

function address(app: FastifyInstance): string {
  return app.listeningOrigin
}

if (import.meta.filename === process.argv[1]) await check()
