import type { FastifyInstance } from 'fastify'
import type { Orders } from './orders.js'

/** An error the app's own handler tells as 4xx. */
class Refused extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

const text = { type: 'string', minLength: 1, maxLength: 40 }
const params = { type: 'object', properties: { id: { ...text, description: 'The number of the order' } } }
const order = { 200: { $ref: 'order#' } }
const scopes = (...names: string[]) => ({ scopes: names })
const about = (operationId: string, summary: string, exposed = true) => ({
  operationId,
  summary,
  tags: exposed ? ['orders', 'mcp'] : ['orders'],
})

/** The REST API: its schemas, its hooks and its errors. What is tagged `mcp` may become a tool. */
export function rest(api: FastifyInstance, orders: Orders): void {
  api.addSchema({
    $id: 'order',
    type: 'object',
    properties: { id: text, customer: text, cents: { type: 'integer' }, status: { enum: ['open', 'paid'] } },
    required: ['id', 'customer', 'cents', 'status'],
  })
  api.addHook('onSend', async (_request, reply, payload) => {
    void reply.header('x-served-by', 'orders')
    return payload
  })
  api.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500
    return reply.code(status).send({ message: status < 500 ? error.message : 'Something went wrong', status })
  })
  reading(api, orders)
  writing(api, orders)
}

function reading(api: FastifyInstance, orders: Orders): void {
  api.get<{ Querystring: { status: string[]; limit: number } }>(
    '/orders',
    {
      schema: {
        ...about('list_orders', 'List orders by number'),
        querystring: {
          type: 'object',
          properties: {
            status: { type: 'array', items: { enum: ['open', 'paid'] }, default: [] },
            limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          },
        },
        response: {
          200: { type: 'object', properties: { orders: { type: 'array', items: { $ref: 'order#' } } } },
        },
      },
      config: scopes('orders:read'),
    },
    async ({ query }) => ({ orders: await orders.list(query.status, query.limit) }),
  )
  api.get<{ Params: { id: string } }>(
    '/orders/:id',
    {
      schema: { ...about('get_order', 'Show one order'), params, response: order },
      config: scopes('orders:read'),
    },
    async ({ params: { id } }) => (await orders.find(id)) ?? unknown(id),
  )
  api.get('/orders/count', { schema: about('count_orders', 'Count orders', false) }, async () => ({
    count: (await orders.list([], 1000)).length,
  }))
}

function writing(api: FastifyInstance, orders: Orders): void {
  const config = scopes('orders:read', 'orders:write')
  api.post<{ Body: { id: string; customer: string; cents: number } }>(
    '/orders',
    {
      schema: {
        ...about('add_order', 'Take an order'),
        body: {
          type: 'object',
          properties: { id: text, customer: text, cents: { type: 'integer', minimum: 1 } },
          required: ['id', 'customer', 'cents'],
        },
        response: { 201: { $ref: 'order#' } },
      },
      config,
    },
    async ({ body: { id, customer, cents } }, reply) => {
      const added = await orders.add(id, customer, cents)
      if (added === undefined) throw new Refused(409, `There is an order ${id} already`)
      return reply.code(201).send(added)
    },
  )
  api.put<{ Params: { id: string }; Body: { status: string } }>(
    '/orders/:id/status',
    {
      schema: {
        ...about('set_order_status', 'Mark an order as open or paid'),
        params,
        body: { type: 'object', properties: { status: { enum: ['open', 'paid'] } }, required: ['status'] },
        response: order,
      },
      config,
    },
    async ({ params: { id }, body: { status } }) => (await orders.setStatus(id, status)) ?? unknown(id),
  )
  api.delete<{ Params: { id: string } }>(
    '/orders/:id',
    { schema: { ...about('remove_order', 'Remove an order'), params }, config },
    async ({ params: { id } }, reply) => ((await orders.remove(id)) ? reply.code(204).send() : unknown(id)),
  )
}

function unknown(id: string): never {
  throw new Refused(404, `There is no order ${id}`)
}
