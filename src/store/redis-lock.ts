import { DefinitionError } from '../errors.js'
import type { DistributedLock } from './distributed-lock.js'
import { pollingLock } from './polling-lock.js'

/** What is used of a client of the package `redis` 5: a client, a cluster or a sentinel. */
export interface RedisScripts {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

export interface RedisLockOptions {
  /** What the names of locks begin with in Redis; `castellan:lock:` when left out. */
  readonly prefix?: string
}

const take = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0"
const isHeld = "return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0"
const renew = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`
const release = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1"

/**
 * Locks in Redis for `keyvAuthorizationStore`, over a connected client of `redis` 5.
 *
 * A lock is one key with a lifetime. A failover to a replica that has not heard of it loses it; then the holder's next save
 * is refused.
 */
export function redisLock(client: RedisScripts, options: RedisLockOptions = {}): DistributedLock {
  const { prefix = 'castellan:lock:' } = options
  if (typeof (client as Partial<RedisScripts> | undefined)?.eval !== 'function') {
    throw new DefinitionError('`redisLock` takes a client of `redis` 5', 'ERR_OPTION')
  }
  if (typeof prefix !== 'string') throw new DefinitionError('`prefix` must be a string', 'ERR_OPTION')
  const run = async (script: string, name: string, ...words: (string | number)[]) =>
    Number(await client.eval(script, { keys: [prefix + name], arguments: words.map(String) })) === 1
  return pollingLock({
    take: (name, fence, ttl) => run(take, name, fence, ttl),
    isHeld: (name, fence) => run(isHeld, name, fence),
    renew: (name, fence, ttl) => run(renew, name, fence, ttl),
    async release(name, fence) {
      await run(release, name, fence)
    },
  })
}
