import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createClient, httpCaller, waitForTask } from 'castellan/client'
import { temporaryRedis } from '../temporary-redis.js'
import { instance, packOrder, placeOrder } from './shop.js'

/** Two instances behind a balancer that sends every request to the other one: nothing needs to come back to where it began. */
export async function check(): Promise<void> {
  const redis = await temporaryRedis()
  const key = randomBytes(32)
  const instances = [await instance(redis.url, key), await instance(redis.url, key)]
  const origins = instances.map((app) => app.listeningOrigin)
  const visited: string[] = []
  const balanced: typeof fetch = (_input, init) => {
    const origin = origins[visited.length % origins.length] ?? ''
    visited.push(origin)
    return fetch(`${origin}/mcp`, init)
  }
  const clientInfo = { name: 'customer', version: '1.0.0' }
  const endpoint = `${origins[0] ?? ''}/mcp`
  const client = createClient(
    httpCaller({
      ...{ endpoint, clientInfo, fetch: balanced },
      onInput: { form: () => ({ action: 'accept', content: { sure: true } }) },
    }),
  )
  try {
    const changes = client.caller.subscribe({ resourceSubscriptions: ['shop://stock'] })
    const stream = changes[Symbol.asyncIterator]()
    const first = await stream.next()
    assert(first.done !== true && first.value.kind === 'acknowledged')

    const ordered = await client.call(placeOrder, { article: 'lamp' })
    assert.deepEqual(ordered, { order: 'one lamp' })
    assert.deepEqual(visited, [origins[0], origins[1], origins[0]], 'the question and its answer went to two')
    assert.deepEqual((await stream.next()).value, { kind: 'resource_updated', uri: 'shop://stock' })

    const started = await client.callRaw(packOrder, ordered, { taskSupport: true })
    assert(started.status === 'task')
    const task = await waitForTask(client.caller, started.task.taskId)
    assert(task.status === 'completed')
    assert.deepEqual(task.result.structuredContent, { packed: 'one lamp' })
    await stream.return?.()
  } finally {
    await client.close()
    await Promise.all(instances.map((app) => app.close()))
    await redis.close()
  }
}
