import { setTimeout as pause } from 'node:timers/promises'
import { defineResource, defineTaskTool, defineTool, form } from 'castellan'
import mcp, { handle, redisChanges } from 'castellan/fastify'
import { bullmqTaskRunner, handleTask } from 'castellan/tasks'
import Fastify, { type FastifyInstance } from 'fastify'
import { createClient } from 'redis'
import { z } from 'zod'

export const placeOrder = defineTool({
  name: 'place_order',
  description: 'Places an order, once the user has confirmed it',
  input: z.object({ article: z.string() }),
  output: z.object({ order: z.string() }),
  inputs: { confirm: form(z.object({ sure: z.boolean() })) },
})

export const packOrder = defineTaskTool({
  name: 'pack_order',
  description: 'Packs an order, which takes a while',
  input: z.object({ order: z.string() }),
  output: z.object({ packed: z.string() }),
  annotations: { idempotentHint: true },
  task: 'required',
})

const stock = defineResource({ uri: 'shop://stock', name: 'stock' })

/** One of several instances that know nothing of each other but Redis and a key. */
export async function instance(redisUrl: string, key: Uint8Array): Promise<FastifyInstance> {
  const redis = await createClient({ url: redisUrl })
    .on('error', () => undefined)
    .connect()
  const changes = redisChanges(redis)
  const app = Fastify({ forceCloseConnections: true })
  const runner = bullmqTaskRunner({ connection: redis, log: app.log, changes, pollIntervalMs: 50 })

  app.addHook('onClose', async () => {
    await runner.close()
    redis.destroy()
  })
  await app.register(mcp, {
    path: '/mcp',
    name: 'shop',
    version: '1.0.0',
    auth: 'none',
    changes,
    inputState: { keys: [{ id: '2026-11', key }] },
    resources: [handle(stock, () => 'plenty')],
    tools: [
      handle(placeOrder, async ({ article }, { input }) => {
        const answer = await input.confirm({ message: `Order one ${article}?` })
        if (answer.action !== 'accept' || !answer.content.sure) return { order: 'none' }
        await changes.resourceUpdated('shop://stock')
        return { order: `one ${article}` }
      }),
      handleTask(packOrder, runner, async ({ order }, { signal }) => {
        await pause(100, undefined, { signal })
        return { packed: order }
      }),
    ],
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}
