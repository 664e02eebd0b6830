import { once } from 'node:events'
import type { IRedisClient, RedisConnection } from 'bullmq'
import { isOrigin, type RedisAddress, type RedisOrigin } from './redis-origin.js'

/** The connections of one runner, made when they are first needed. */
export class RedisConnections {
  readonly #to: RedisAddress | RedisOrigin
  readonly #made: RedisConnection[] = []
  #requests: Promise<RedisConnection> | undefined
  #reached: Promise<IRedisClient> | undefined
  #work: Promise<RedisConnection> | undefined

  constructor(to: RedisAddress | RedisOrigin) {
    this.#to = to
  }

  /** For requests, which do not wait for a Redis that is away. */
  forRequests(): Promise<IRedisClient> {
    return (this.#reached ??= this.#atOnce().catch((error: unknown) => {
      this.#reached = undefined
      throw error
    }))
  }

  /** For work, which waits until Redis is back. */
  async forWork(): Promise<IRedisClient> {
    this.#work ??= this.#open(true)
    return (await this.#work).client
  }

  /** Ends the connections made here, and no other. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#requests, this.#work])
    await Promise.allSettled(this.#made.map(closed))
  }

  async #atOnce(): Promise<IRedisClient> {
    const connection = await (this.#requests ??= this.#open(false))
    const settled = new AbortController()
    const failed = once(connection, 'error', settled).then(([error]) => Promise.reject(error as Error))
    try {
      return await Promise.race([connection.client, failed])
    } finally {
      settled.abort()
    }
  }

  async #open(waits: boolean): Promise<RedisConnection> {
    const { RedisConnection, createNodeRedisClient } = await import('bullmq')
    const to = isOrigin(this.#to)
      ? createNodeRedisClient(duplicated(this.#to, waits))
      : {
          ...this.#to,
          maxRetriesPerRequest: waits ? null : 1,
          ...(!waits && { enableOfflineQueue: false }),
        }
    const connection = new RedisConnection(to, { blocking: false })
    connection.on('error', () => undefined)
    this.#made.push(connection)
    return connection
  }
}

/** What fails while it closes is of no interest, but BullMQ stops listening to it. */
function closed(connection: RedisConnection): Promise<void> {
  const closing = connection.close(true)
  connection.on('error', () => undefined)
  return closing
}

/**
 * A duplicate that answers as BullMQ reads it, whatever its origin was told: texts in RESP 2, no timeout while it waits
 * for jobs, and never tired of connecting.
 */
function duplicated(origin: RedisOrigin, waits: boolean): object {
  return origin.duplicate({
    ...{ RESP: 2, clientSideCache: undefined, emitInvalidate: false, maintNotifications: 'disabled' },
    commandOptions: undefined,
    disableOfflineQueue: !waits,
    socket: {
      ...origin.options?.socket,
      socketTimeout: undefined,
      reconnectStrategy: (tries: number) => Math.min(50 * 2 ** Math.min(tries, 6), 2000),
    },
  })
}
