import { postgresLock, redisLock, type DistributedLock } from 'castellan/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServers, type Servers } from './backends.js'
import { postgresIsInstalled } from './postgres.js'
import { redisIsInstalled } from './redis.js'

let servers: Servers
beforeAll(async () => {
  servers = (await startServers()) as Servers
})
afterAll(() => servers.close())

const terms = (ttlMilliseconds = 60_000) => ({ ttlMilliseconds, signal: new AbortController().signal })

const locks: [string, () => DistributedLock][] = [
  ...(redisIsInstalled
    ? [['redisLock', () => redisLock(servers.redisClient)] as [string, () => DistributedLock]]
    : []),
  ...(postgresIsInstalled
    ? [['postgresLock', () => postgresLock(servers.pool)] as [string, () => DistributedLock]]
    : []),
]

describe.each(locks)('%s', (_name, makeLock) => {
  test('lets one in at a time, also while its table is missing (D11)', async () => {
    let inside = 0
    const use = async (lock: DistributedLock) => {
      const held = await lock.acquire('shared', terms())
      expect(++inside).toBe(1)
      expect(await held.isHeld()).toBe(true)
      inside--
      await held.release()
    }
    await Promise.all([makeLock(), makeLock(), makeLock()].map(use))
  })

  test('is lost with its lifetime: it is neither held, nor renewed, nor released from who came after (D4)', async () => {
    const lock = makeLock()
    const first = await lock.acquire('expiring', terms(1))
    const second = await lock.acquire('expiring', terms())
    expect(await first.isHeld()).toBe(false)
    expect(await first.renew()).toBe(false)
    await first.release()
    expect(await second.isHeld()).toBe(true)
    expect(await second.renew()).toBe(true)
    await second.release()
    expect(await second.isHeld()).toBe(false)
    expect(await second.renew()).toBe(false)
  })

  test('a waiter that gives up leaves nothing behind (B121)', async () => {
    const lock = makeLock()
    const held = await lock.acquire('waited for', terms())
    const stopped = new AbortController()
    const reason = new Error('the caller went away')
    const waiting = lock.acquire('waited for', { ttlMilliseconds: 60_000, signal: stopped.signal })
    stopped.abort(reason)
    await expect(waiting).rejects.toThrow()
    await held.release()
    await (await lock.acquire('waited for', terms())).release()
  })
})

if (redisIsInstalled) {
  test('redisLock is one key with a lifetime while it is held, under the prefix', async () => {
    const held = await redisLock(servers.redisClient, { prefix: 'mine:' }).acquire('name', terms(5000))
    expect(await servers.redisClient.pTTL('mine:name')).toBeGreaterThan(0)
    await held.release()
    expect(await servers.redisClient.exists('mine:name')).toBe(0)
  })
}

if (postgresIsInstalled) {
  test('postgresLock is one row while it is held, in the table that is named', async () => {
    const held = await postgresLock(servers.pool, { table: 'public.mine' }).acquire('name', terms())
    const rows = async () => (await servers.pool.query('SELECT name FROM mine')).rows
    expect(await rows()).toEqual([{ name: 'name' }])
    await held.release()
    expect(await rows()).toEqual([])
  })
}

test('a lock that is granted after its caller went away is given back (B121)', async () => {
  const asked: { script: string; words: string[] }[] = []
  let grant: (answer: number) => void = () => undefined
  const lock = redisLock({
    eval(script, { arguments: words }) {
      asked.push({ script, words })
      return new Promise((resolve) => (grant = resolve))
    },
  })
  const stopped = new AbortController()
  const waiting = lock.acquire('name', { ttlMilliseconds: 60_000, signal: stopped.signal })
  const grantLate = grant
  stopped.abort(new Error('the caller went away'))
  await expect(waiting).rejects.toThrow('the caller went away')
  grantLate(1)
  await new Promise(setImmediate)
  const [taking, ...after] = asked
  expect(after.length).toBeGreaterThan(0)
  for (const { script, words } of after) {
    expect(script).toContain('DEL')
    expect(words[0]).toBe(taking!.words[0])
  }
})
