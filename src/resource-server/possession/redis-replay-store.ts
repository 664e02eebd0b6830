import type { ReplayStore } from './replay-store.js'

/** What is needed of a client of the package `redis` 5, connected. */
interface RedisSet {
  set(
    key: string,
    value: string,
    options: {
      readonly condition: 'NX'
      readonly expiration: { readonly type: 'PX'; readonly value: number }
    },
  ): Promise<unknown>
}

/** Options of `redisReplayStore`. */
export interface RedisReplayStoreOptions {
  /** In front of every key. Default `castellan:dpop:`. */
  readonly prefix?: string
}

/** Remembers proofs in Redis, for any number of instances. Uses `SET key 1 NX PX` only. */
export function redisReplayStore(
  client: RedisSet,
  { prefix = 'castellan:dpop:' }: RedisReplayStoreOptions = {},
): ReplayStore {
  return Object.freeze({
    async add(key: string, lifetimeSeconds: number) {
      const expiration = { type: 'PX', value: Math.ceil(lifetimeSeconds * 1000) } as const
      const answer = await client.set(prefix + key, '1', { condition: 'NX', expiration })
      if (answer !== 'OK' && answer !== null) throw new Error('Redis gave an unknown answer')
      return answer === 'OK'
    },
  })
}
