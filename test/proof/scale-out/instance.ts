import mcp, { redisChanges } from 'castellan/fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import { bullmqTaskRunner } from 'castellan/tasks'
import Fastify from 'fastify'
import { createClient } from 'redis'
import { silent } from '../../server/harness.js'
import type { InstanceSetup } from './instances.js'
import { shop } from './tools.js'

/** One process of the server. */
const { port, redis: url, resource, issuer, key } = JSON.parse(process.argv[2]!) as InstanceSetup
const redis = await createClient({ url })
  .on('error', () => undefined)
  .connect()
const changes = redisChanges(redis)
const runner = bullmqTaskRunner({
  ...{ connection: redis, log: silent, changes },
  ...{ pollIntervalMs: 100, stalledAfterMs: 1000, concurrency: 100 },
})
const app = Fastify()
await app.register(mcp, {
  ...{ path: '/mcp', name: 'shop', version: '1.0.0', changes, ...shop(runner, changes) },
  auth: jwtResourceServer({ resource, issuer, allowLoopbackHttp: true }),
  inputState: { keys: [{ id: 'shared', key: Buffer.from(key, 'base64url') }] },
})
await app.listen({ port, host: '127.0.0.1' })
process.on('disconnect', () => process.exit())
process.send!('ready')
