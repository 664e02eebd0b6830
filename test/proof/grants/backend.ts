import { KeyvPostgres } from '@keyv/postgres'
import KeyvRedis from '@keyv/redis'
import { keyvAuthorizationStore, postgresLock, redisLock, type AuthorizationStore } from 'castellan/store'
import { Keyv } from 'keyv'
import { Pool } from 'pg'
import { createClient } from 'redis'
import { startPostgres } from '../../store/postgres.js'
import { startRedis } from '../../store/redis.js'

export const servers = { Redis: startRedis, PostgreSQL: startPostgres }
export type BackendKind = keyof typeof servers

/** How a process reaches the grants it shares with others. */
export interface BackendSetup {
  readonly kind: BackendKind
  readonly url: string
  /** What records are sealed with, in base64url. */
  readonly key: string
}

export interface Backend {
  readonly store: (userId: string) => AuthorizationStore
  close(): Promise<void>
}

/** Opens Keyv and a lock over one server, as one process of an application does. */
export async function openBackend({ kind, url, key }: BackendSetup): Promise<Backend> {
  const { keyv, lock, end } = kind === 'Redis' ? await overRedis(url) : overPostgres(url)
  const keys = [{ id: 'shared', key: Buffer.from(key, 'base64url') }]
  return {
    store: (namespace) => keyvAuthorizationStore({ keyv, lock, keys, namespace, leaseMilliseconds: 2000 }),
    async close() {
      await keyv.disconnect().catch(() => undefined)
      await end()
    },
  }
}

async function overRedis(url: string) {
  const client = createClient({ url, disableOfflineQueue: true })
  client.on('error', () => undefined)
  await client.connect()
  const keyv = new Keyv(new KeyvRedis({ url, disableOfflineQueue: true }))
  return { keyv, lock: redisLock(client), end: async () => client.destroy() }
}

/** The adapter hides its pool, whose idle connections must not be there to fail when the server stops. */
function overPostgres(url: string) {
  const pool = new Pool({ connectionString: url })
  pool.on('error', () => undefined)
  const keyv = new Keyv(new KeyvPostgres({ uri: url, maxUses: 1 }))
  return { keyv, lock: postgresLock(pool), end: () => pool.end() }
}
