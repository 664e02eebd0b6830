import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyvPostgres } from '@keyv/postgres'
import KeyvRedis from '@keyv/redis'
import {
  fileAuthorizationStore,
  keyvAuthorizationStore,
  memoryAuthorizationStore,
  postgresLock,
  redisLock,
  type AuthorizationStore,
  type DistributedLock,
  type StoreUnderTest,
} from 'castellan/store'
import { Keyv } from 'keyv'
import { Pool } from 'pg'
import { createClient } from 'redis'
import { postgresIsInstalled, startPostgres, type PostgresServer } from './postgres.js'
import { redisIsInstalled, startRedis, type RedisServer } from './redis.js'

export const keys = [{ id: 'test', key: randomBytes(32) }]

/** The servers of a test file and clients of them; made in its `beforeAll`. */
export interface Servers {
  readonly redis: RedisServer
  readonly redisClient: ReturnType<typeof createClient>
  readonly postgres: PostgresServer
  readonly pool: Pool
  close(): Promise<void>
}

/** Both servers, as far as they are installed. */
export async function startServers(): Promise<Partial<Servers> & Pick<Servers, 'close'>> {
  const redis = redisIsInstalled ? await startRedis() : undefined
  const postgres = postgresIsInstalled ? await startPostgres() : undefined
  const redisClient = redis && createClient({ url: redis.url, disableOfflineQueue: true })
  redisClient?.on('error', () => undefined)
  await redisClient?.connect()
  const pool = postgres && new Pool({ connectionString: postgres.url })
  pool?.on('error', () => undefined)
  return {
    ...(redis && { redis, redisClient: redisClient! }),
    ...(postgres && { postgres, pool: pool! }),
    async close() {
      redisClient?.destroy()
      await pool?.end()
      await Promise.all([redis?.close(), postgres?.close()])
    },
  }
}

export interface Backend extends StoreUnderTest {
  close(): Promise<void>
}

interface Storage {
  readonly keyv: Keyv
  damageRecords(): Promise<void>
  close(): Promise<void>
}

interface Lock {
  readonly lock: DistributedLock | 'single-process'
  readonly loseLeases?: () => Promise<void>
}

const damaged = JSON.stringify({ value: 'nothing a store has written' })

export const storages = {
  map: (): Storage => {
    const map = new Map<string, string>()
    return {
      keyv: new Keyv({ store: map }),
      damageRecords: async () => {
        for (const name of map.keys()) map.set(name, damaged)
      },
      close: async () => undefined,
    }
  },
  redis: ({ redis, redisClient }: Servers): Storage => {
    const keyv = new Keyv(new KeyvRedis({ url: redis.url, disableOfflineQueue: true }))
    return {
      keyv,
      damageRecords: async () => {
        for (const name of await redisClient.keys('*')) {
          if (!name.startsWith('castellan:lock:')) await redisClient.set(name, damaged)
        }
      },
      close: () => keyv.disconnect(),
    }
  },
  postgres: ({ postgres, pool }: Servers): Storage => {
    const keyv = new Keyv(new KeyvPostgres({ uri: postgres.url }))
    return {
      keyv,
      damageRecords: async () => {
        await pool.query('UPDATE keyv SET value = $1', [damaged])
      },
      close: () => keyv.disconnect(),
    }
  },
}

export const locks = {
  'single-process': (): Lock => ({ lock: 'single-process' }),
  redisLock: ({ redisClient }: Servers): Lock => ({
    lock: redisLock(redisClient),
    loseLeases: async () => {
      const held = await redisClient.keys('castellan:lock:*')
      await redisClient.del(held)
    },
  }),
  postgresLock: ({ pool }: Servers): Lock => ({
    lock: postgresLock(pool),
    loseLeases: async () => {
      await pool.query('DELETE FROM castellan_lock')
    },
  }),
}

/** A Keyv with a lock; each namespace opened twice has two instances. */
export function keyvBackend(storage: Storage, { lock, loseLeases }: Lock): Backend {
  return {
    open: (namespace) => keyvAuthorizationStore({ keyv: storage.keyv, lock, keys, namespace }),
    ...(loseLeases && { loseLeases }),
    damageRecords: () => storage.damageRecords(),
    close: () => storage.close(),
  }
}

export function memoryBackend(): Backend {
  const stores = new Map<string, AuthorizationStore>()
  return {
    open(namespace) {
      const store = stores.get(namespace) ?? memoryAuthorizationStore()
      stores.set(namespace, store)
      return store
    },
    close: async () => undefined,
  }
}

export async function fileBackend(): Promise<Backend> {
  const root = await mkdtemp(join(tmpdir(), 'castellan-files-'))
  await chmod(root, 0o700)
  const files = async (end: string) => {
    const names = await readdir(root, { recursive: true })
    return names.filter((name) => name.endsWith(end)).map((name) => join(root, name))
  }
  return {
    open: (namespace) => fileAuthorizationStore({ directory: join(root, namespace), keys }),
    loseLeases: async () => {
      for (const path of await files('lock')) await unlink(path)
    },
    damageRecords: async () => {
      for (const path of await files('.sealed')) await writeFile(path, 'nothing a store has written')
    },
    close: () => rm(root, { recursive: true, force: true }),
  }
}
