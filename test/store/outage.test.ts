import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { KeyvPostgres } from '@keyv/postgres'
import KeyvRedis from '@keyv/redis'
import { keyvAuthorizationStore, postgresLock, redisLock, type AuthorizationStore } from 'castellan/store'
import { Keyv } from 'keyv'
import { Pool } from 'pg'
import { createClient } from 'redis'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { postgresIsInstalled, startPostgres } from './postgres.js'
import { redisIsInstalled, startRedis } from './redis.js'

const key = 'a'.repeat(64)
const keys = [{ id: '1', key: randomBytes(32) }]
const unavailable = { code: 'ERR_STORE_UNAVAILABLE' }

async function redisParts() {
  const server = await startRedis()
  const client = createClient({ url: server.url, disableOfflineQueue: true })
  client.on('error', () => undefined)
  await client.connect()
  const keyv = new Keyv(new KeyvRedis({ url: server.url, disableOfflineQueue: true }))
  const end = async () => {
    client.destroy()
  }
  return { server, keyv, lock: redisLock(client), end }
}

async function postgresParts() {
  const server = await startPostgres()
  const pool = new Pool({ connectionString: server.url })
  pool.on('error', () => undefined)
  /** The adapter hides its pool, whose idle connections must not be there to fail when the server stops. */
  const keyv = new Keyv(new KeyvPostgres({ uri: server.url, maxUses: 1 }))
  return { server, keyv, lock: postgresLock(pool), end: () => pool.end() }
}

const backends = [
  ...(redisIsInstalled ? [{ name: 'Redis', makeParts: redisParts }] : []),
  ...(postgresIsInstalled ? [{ name: 'PostgreSQL', makeParts: postgresParts }] : []),
]

describe.each(backends)('an outage of $name', ({ makeParts }) => {
  let parts: Awaited<ReturnType<typeof makeParts>>
  let store: AuthorizationStore
  beforeAll(async () => {
    parts = await makeParts()
    const { keyv, lock } = parts
    store = keyvAuthorizationStore({ keyv, lock, keys, namespace: 'user', leaseMilliseconds: 1000 })
  })
  afterEach(() => vi.restoreAllMocks())
  afterAll(async () => {
    await parts.keyv.disconnect()
    await parts.end()
    await parts.server.close()
  })

  const save = (value: string) =>
    store.withCredentials([key], (records) => records.get(key)!.save(Buffer.from(value)))
  const load = () => store.withCredentials([key], (records) => records.get(key)!.load())
  /** Clients come back in their own time. */
  const recovered = () =>
    vi.waitFor(
      async () => {
        const value = await load()
        return value && Buffer.from(value).toString()
      },
      { timeout: 20_000, interval: 100 },
    )

  test('rejects every call and calls no `use`; afterwards the grant is there as before (D9, B099)', async () => {
    await save('grant')
    await store.transactions.put(key, Buffer.from('verifier'), Date.now() + 60_000)
    await parts.server.stop()
    const use = vi.fn()
    await expect(store.withCredentials([key], use)).rejects.toMatchObject(unavailable)
    await expect(store.transactions.take(key)).rejects.toMatchObject(unavailable)
    expect(use).not.toHaveBeenCalled()
    await parts.server.start()
    expect(await recovered()).toBe('grant')
    expect(await store.transactions.take(key)).toEqual(new Uint8Array(Buffer.from('verifier')))
  })

  test('in the middle of an exchange rejects load and save, and nothing is overwritten (B112, G60)', async () => {
    await save('grant')
    await store.withCredentials([key], async (records) => {
      const record = records.get(key)!
      await record.load()
      await parts.server.stop()
      await expect(record.load()).rejects.toMatchObject(unavailable)
      await expect(record.save(Buffer.from('new'))).rejects.toMatchObject(unavailable)
      await expect(record.remove()).rejects.toMatchObject(unavailable)
    })
    await parts.server.start()
    expect(await recovered()).toBe('grant')
  })

  test('between check and write is told as uncertain (G60)', async () => {
    await save('grant')
    const set = parts.keyv.set.bind(parts.keyv)
    vi.spyOn(parts.keyv, 'set').mockImplementationOnce(async (...words: Parameters<typeof set>) => {
      await parts.server.stop()
      return set(...words)
    })
    await expect(save('new')).rejects.toMatchObject({ code: 'ERR_STORE_UNCERTAIN' })
    await parts.server.start()
    expect(await recovered()).toBe('grant')
  })

  test('that is over within one exchange leaves what the save says (B112)', async () => {
    await save('grant')
    let outcome: string | undefined
    await store.withCredentials([key], async (records) => {
      const record = records.get(key)!
      await record.load()
      await parts.server.restart()
      await vi.waitFor(() => record.load(), { timeout: 20_000, interval: 20 })
      outcome = await record.save(Buffer.from('new')).then(
        () => 'new',
        () => 'grant',
      )
    })
    expect(await recovered()).toBe(outcome)
  })
})

/** An adapter that keeps its trouble to itself, as adapters of Keyv do unless they are told to throw. */
class SilentAdapter extends EventEmitter {
  readonly opts = {}
  mode: 'works' | 'emits' | 'lies' = 'works'
  readonly #kept = new Map<string, string>()

  async get(name: string) {
    if (this.mode === 'emits') this.emit('error', new Error('the backend is down'))
    return this.mode === 'emits' ? undefined : this.#kept.get(name)
  }

  async set(name: string, value: string) {
    if (this.mode === 'works') this.#kept.set(name, value)
    return true
  }

  async delete(name: string) {
    if (this.mode === 'works') this.#kept.delete(name)
    return true
  }

  async clear() {
    this.#kept.clear()
  }
}

describe('an adapter of Keyv', () => {
  const make = () => {
    const adapter = new SilentAdapter()
    const keyv = new Keyv(adapter as never)
    return {
      adapter,
      keyv,
      store: keyvAuthorizationStore({ keyv, lock: 'single-process', keys, namespace: 'user' }),
    }
  }

  test('that emits an error instead of an answer does not read as absent (D9)', async () => {
    const { adapter, store } = make()
    await store.withCredentials([key], async (records) => {
      const record = records.get(key)!
      await record.save(Buffer.from('grant'))
      adapter.mode = 'emits'
      await expect(record.load()).rejects.toMatchObject(unavailable)
      await expect(record.save(Buffer.from('new'))).rejects.toMatchObject(unavailable)
      adapter.mode = 'works'
      expect(await record.load()).toEqual(new Uint8Array(Buffer.from('grant')))
    })
  })

  test('that lies about success is found out (G60)', async () => {
    const { adapter, store } = make()
    await store.withCredentials([key], async (records) => {
      const record = records.get(key)!
      await record.save(Buffer.from('grant'))
      adapter.mode = 'lies'
      await expect(record.save(Buffer.from('new'))).rejects.toMatchObject({ code: 'ERR_STORE_UNCERTAIN' })
      await expect(record.remove()).rejects.toMatchObject({ code: 'ERR_STORE_UNCERTAIN' })
    })
  })

  test('that answers false has not written (D9)', async () => {
    const { adapter, store } = make()
    vi.spyOn(adapter, 'set').mockResolvedValue(false)
    const saving = store.withCredentials([key], (records) => records.get(key)!.save(Buffer.from('x')))
    await expect(saving).rejects.toMatchObject({ code: 'ERR_STORE_UNCERTAIN' })
  })

  test('and its Keyv are made to throw, and get one listener for any number of stores (D9)', () => {
    const adapter = Object.assign(new SilentAdapter(), { throwOnErrors: false })
    const keyv = new Keyv(adapter as never)
    for (let user = 0; user < 200; user++) {
      keyvAuthorizationStore({ keyv, lock: 'single-process', keys, namespace: `user ${user}` })
    }
    expect([keyv.throwOnErrors, adapter.throwOnErrors]).toEqual([true, true])
    expect(keyv.listeners('error')).toHaveLength(1)
  })

  test('keeps grants without a lifetime, whatever the default of its Keyv, and transactions with one (D10)', async () => {
    const keyv = new Keyv({ ttl: 1 })
    const store = keyvAuthorizationStore({ keyv, lock: 'single-process', keys, namespace: 'user' })
    await store.withCredentials([key], (records) => records.get(key)!.save(Buffer.from('grant')))
    const [grant] = [...(keyv.store as Map<string, string>).values()]
    expect(JSON.parse(grant!)).not.toHaveProperty('expires')
    await store.transactions.put(key, Buffer.from('x'), Date.now() + 1000)
    const [, transaction] = [...(keyv.store as Map<string, string>).values()]
    expect(JSON.parse(transaction!)).toHaveProperty('expires')
  })
})
