import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { defineTool } from 'castellan'
import mcp, { handle, type McpOptions } from 'castellan/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { modern } from '../wire.js'
import { basic, writing } from './guarded.js'

const apps: FastifyInstance[] = []
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

async function start(options: Partial<McpOptions>): Promise<FastifyInstance> {
  const app = Fastify()
  apps.push(app)
  await app.register(mcp, {
    path: '/mcp',
    name: 'open',
    version: '1',
    tools: [basic],
    ...options,
  } as McpOptions)
  return app
}

/** A call as it comes in for this `Host`; `inject` counts as arriving on loopback. */
async function status(app: FastifyInstance, host: string): Promise<number> {
  const { body, headers } = modern('tools/list')
  const payload = JSON.stringify(body)
  return (await app.inject({ method: 'POST', url: '/mcp', headers: { ...headers, host }, payload }))
    .statusCode
}

describe('A7 a server is open only by the word', () => {
  test.each([undefined, null, '', 'None', true, {}])('auth %j stops the start', async (auth) => {
    await expect(start({ auth: auth as never })).rejects.toThrow(
      /`auth` must be a resource server, or 'none'/,
    )
  })

  test('scopes nobody could check stop the start', async () => {
    await expect(start({ auth: 'none', tools: [writing] })).rejects.toThrow(/declares scopes/)
    const anyone = defineTool({ name: 'anyone', description: 'Any authenticated caller', scopes: [] })
    await expect(start({ auth: 'none', tools: [handle(anyone, () => 'ok')] })).rejects.toThrow(
      /declares scopes/,
    )
    await expect(start({ auth: 'none', basicScopes: ['mcp'] })).rejects.toThrow(/basicScopes/)
  })
})

describe('G-48 G21 B147 an open server answers loopback only', () => {
  test.each([
    ['localhost', 200],
    ['LOCALHOST:3000', 200],
    ['127.0.0.1', 200],
    ['127.8.9.1:80', 200],
    ['[::1]:3000', 200],
    ['api.example.com', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['evil.example:127', 403],
    ['localhost:80:80', 403],
    ['[::2]', 403],
    ['10.0.0.1', 403],
  ])('Host %j is %d', async (host, expected) => {
    expect(await status(await start({ auth: 'none' }), host)).toBe(expected)
  })

  test('exposeWithoutAuth lifts it', async () => {
    expect(await status(await start({ auth: 'none', exposeWithoutAuth: true }), 'api.example.com')).toBe(200)
  })

  const outer = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

  test.runIf(outer !== undefined)('a loopback Host on another address is 403', async () => {
    const app = await start({ auth: 'none' })
    await app.listen({ port: 0, host: '0.0.0.0' })
    const { port } = app.server.address() as AddressInfo
    expect(await statusAt('127.0.0.1', port)).toBe(200)
    expect(await statusAt(outer ?? '', port)).toBe(403)
  })
})

/** Calls an address with a loopback `Host`, whatever the address is. */
async function statusAt(address: string, port: number): Promise<number | undefined> {
  const { body, headers } = modern('tools/list')
  const outgoing = request({
    host: address,
    port,
    path: '/mcp',
    method: 'POST',
    headers: { ...headers, host: 'localhost' },
  })
  outgoing.end(JSON.stringify(body))
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}
