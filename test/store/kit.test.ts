import { authorizationStoreKit, type StoreUnderTest } from 'castellan/store'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  fileBackend,
  keyvBackend,
  locks,
  memoryBackend,
  startServers,
  storages,
  type Backend,
  type Servers,
} from './backends.js'
import { postgresIsInstalled } from './postgres.js'
import { redisIsInstalled } from './redis.js'

let servers: Awaited<ReturnType<typeof startServers>>
beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers.close())

const both = () => servers as Servers
const backends: Record<string, () => Backend | Promise<Backend>> = {
  memory: memoryBackend,
  files: fileBackend,
  'keyv over a Map, single-process': () => keyvBackend(storages.map(), locks['single-process']()),
}
if (redisIsInstalled) {
  backends['keyv over a Map, redisLock'] = () => keyvBackend(storages.map(), locks.redisLock(both()))
  backends['keyv over Redis, single-process'] = () =>
    keyvBackend(storages.redis(both()), locks['single-process']())
  backends['keyv over Redis, redisLock'] = () => keyvBackend(storages.redis(both()), locks.redisLock(both()))
}
if (postgresIsInstalled) {
  backends['keyv over PostgreSQL, postgresLock'] = () =>
    keyvBackend(storages.postgres(both()), locks.postgresLock(both()))
}
if (redisIsInstalled && postgresIsInstalled) {
  backends['keyv over Redis, postgresLock'] = () =>
    keyvBackend(storages.redis(both()), locks.postgresLock(both()))
  backends['keyv over PostgreSQL, redisLock'] = () =>
    keyvBackend(storages.postgres(both()), locks.redisLock(both()))
}

describe.each(Object.entries(backends))('%s', (name, makeBackend) => {
  let backend: Backend
  beforeAll(async () => {
    backend = await makeBackend()
  })
  afterAll(() => backend.close())

  test.each(authorizationStoreKit(namesOnly(name)))('$name', async ({ name }) => {
    await authorizationStoreKit(backend)
      .find((check) => check.name === name)!
      .run()
  })
})

/** What a backend lets a kit do, before there is one. */
function namesOnly(backend: string): StoreUnderTest {
  const never = () => {
    throw new Error('Only the names are wanted')
  }
  return {
    open: never,
    ...(!/memory|single-process/.test(backend) && { loseLeases: never }),
    ...(backend !== 'memory' && { damageRecords: never }),
  }
}
