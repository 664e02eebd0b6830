import { keyvAuthorizationStore, redisLock } from 'castellan/store'
import KeyvRedis from '@keyv/redis'
import { Keyv } from 'keyv'
import { createClient } from 'redis'
import { webApp } from './web-app.js'

/** One process of the web app; any number may run, since all they know of their users is in Redis, sealed. */
const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const redis = createClient({ url: setting('REDIS_URL'), disableOfflineQueue: true })
redis.on('error', (error: Error) => console.error(`Redis: ${error.message}`))
await redis.connect()
const keyv = new Keyv(new KeyvRedis({ url: setting('REDIS_URL'), disableOfflineQueue: true }))
const keys = [{ id: setting('SEALING_KEY_ID'), key: Buffer.from(setting('SEALING_KEY'), 'base64url') }]
const lock = redisLock(redis)
const origin = setting('ORIGIN')

const app = await webApp({
  origin,
  resource: setting('RESOURCE'),
  issuer: setting('ISSUER'),
  client: { clientId: setting('CLIENT_ID'), clientSecret: setting('CLIENT_SECRET') },
  store: (namespace) => keyvAuthorizationStore({ keyv, lock, keys, namespace }),
})
await app.listen({ port: Number(new URL(origin).port), host: '127.0.0.1' })
process.send?.('ready')
