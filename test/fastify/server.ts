import Fastify, { type FastifyInstance } from 'fastify'
import mcp, { type McpOptions } from 'castellan/fastify'
import type { AddressInfo } from 'node:net'

export interface RunningServer {
  readonly app: FastifyInstance
  readonly url: string
  readonly port: number
}

/** Listens on loopback with one MCP endpoint at /mcp; open unless told otherwise. */
export async function listen(
  options: Partial<McpOptions> = {},
  prepare: (app: FastifyInstance) => unknown = () => undefined,
): Promise<RunningServer> {
  const app = Fastify({ http: { maxHeaderSize: 64 * 1024 } })
  await prepare(app)
  await app.register(mcp, { path: '/mcp', name: 'test', version: '1.0.0', auth: 'none', ...options })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return { app, port, url: `http://127.0.0.1:${port}/mcp` }
}
