import { defineResourceTemplate } from 'castellan'
import mcp, { handle, memoryChanges } from 'castellan/fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import Fastify, { type FastifyInstance } from 'fastify'

const resource = 'https://shop.example.com/mcp'

export interface Order {
  readonly owner: string
  state: string
}

export const orders = new Map<string, Order>([
  ['1', { owner: 'alice', state: 'packed' }],
  ['2', { owner: 'bob', state: 'packed' }],
])

const order = handle(
  defineResourceTemplate({ uriTemplate: 'shop://orders/{id}', name: 'order', scopes: ['orders:read'] }),
  ({ id }, { principal }) => {
    const found = orders.get(id)
    return found?.owner === principal.subject ? found.state : undefined
  },
)

/** A shop: the REST route that moves an order on tells its owner, and nobody else, that it changed. */
export async function shop(issuer: string): Promise<FastifyInstance> {
  const app = Fastify()
  const auth = jwtResourceServer({ resource, issuer, allowLoopbackHttp: true })
  // With more than one machine: redisChanges(await createClient({ url }).connect())
  const changes = memoryChanges()
  app.addHook('onClose', () => auth.close())
  await app.register(mcp, { path: '/mcp', name: 'shop', version: '1.0.0', auth, changes, resources: [order] })
  app.put<{ Params: { id: string }; Body: { state: string } }>('/orders/:id', async (request, reply) => {
    const { id } = request.params
    const found = orders.get(id)
    if (found === undefined) return reply.code(404).send()
    found.state = request.body.state
    await changes.resourceUpdated(`shop://orders/${id}`, { to: { issuer, subject: found.owner } })
    return reply.code(204).send()
  })
  return app
}
