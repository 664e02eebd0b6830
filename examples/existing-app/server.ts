import swagger from '@fastify/swagger'
import mcp, { protect, protectedResourceMetadata, routeCollector, routeTools } from 'castellan/fastify'
import type { ResourceServer } from 'castellan/resource-server'
import fastify, { type FastifyInstance } from 'fastify'
import type { Orders } from './orders.js'
import { rest } from './rest.js'

export interface ExistingApp {
  readonly auth: ResourceServer
  readonly orders: Orders
  /** Whether MCP has moved in. */
  readonly withMcp: boolean
}

/** A REST API with OpenAPI, and beside it, in two lines, five of its routes as tools. */
export async function existingApp({ auth, orders, withMcp }: ExistingApp): Promise<FastifyInstance> {
  const app = fastify({ forceCloseConnections: true })
  if (withMcp) await app.register(routeCollector)
  await app.register(swagger, { openapi: { info: { title: 'Orders', version: '1.0.0' } } })
  await app.register(protectedResourceMetadata, { auth, resourceName: 'Orders' })
  app.get('/health', { schema: { hide: true } }, () => ({ status: 'ok' }))
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
  await app.register(
    async (api) => {
      await api.register(protect, { auth })
      rest(api, orders)
    },
    { prefix: '/v1' },
  )
  if (withMcp) {
    const tools = [routeTools({ tag: 'mcp' })]
    await app.register(mcp, { path: '/mcp', name: 'orders', version: '1.0.0', auth, tools })
  }
  return app
}
