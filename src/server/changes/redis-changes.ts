import { DefinitionError } from '../../errors.js'
import { readChange, writeChange } from './change.js'
import { changesOver, type Changes, type Follower } from './changes.js'
import { subscribeTo, type RedisClient } from './redis-subscription.js'

export interface RedisChangesOptions {
  /** The channel all instances share; `castellan:changes` when left out. */
  readonly channel?: string
}

/**
 * A bus of changes for many instances over pub/sub of Redis, from a connected client of `redis` 5.
 *
 * To hear changes it opens one connection more, a duplicate of the client. When that one is lost, all streams end and
 * say so, since changes may have been missed; new ones begin when Redis is back. Whatever may publish on the channel is
 * believed, as is whatever may write to Redis. Throws `ERR_OPTION`.
 */
export function redisChanges(
  client: RedisClient,
  { channel = 'castellan:changes' }: RedisChangesOptions = {},
): Changes {
  if (typeof (client as Partial<RedisClient> | undefined)?.duplicate !== 'function')
    throw new DefinitionError('`redisChanges` takes a client of `redis` 5', 'ERR_OPTION')
  if (typeof channel !== 'string' || channel === '')
    throw new DefinitionError('`channel` must be the name of a channel', 'ERR_OPTION')
  const line = new SharedLine(client, channel)
  return changesOver(
    async (change) => {
      await client.publish(channel, writeChange(change))
    },
    (follower) => line.join(follower),
  )
}

/** One connection for all servers that follow: opened by the first, closed by the last or when it is lost. */
class SharedLine {
  readonly #client: RedisClient
  readonly #channel: string
  #followers = new Set<Follower>()
  #opened: Promise<() => void> | undefined

  constructor(client: RedisClient, channel: string) {
    this.#client = client
    this.#channel = channel
  }

  async join(follower: Follower): Promise<() => void> {
    const followers = this.#followers
    const own = { hear: follower.hear.bind(follower), lost: follower.lost.bind(follower) }
    followers.add(own)
    const opened = (this.#opened ??= this.#open(followers))
    const leave = () => {
      followers.delete(own)
      if (followers.size > 0 || this.#opened !== opened) return
      this.#opened = undefined
      void opened.then(
        (close) => close(),
        () => undefined,
      )
    }
    try {
      await opened
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  async #open(followers: Set<Follower>): Promise<() => void> {
    const hear = (message: string) => {
      const change = readChange(message)
      if (change !== undefined) for (const follower of [...followers]) follower.hear(change)
    }
    const lost = () => {
      if (this.#followers !== followers) return
      this.#followers = new Set()
      this.#opened = undefined
      for (const follower of followers) follower.lost()
    }
    return subscribeTo(this.#client, this.#channel, hear, lost)
  }
}
