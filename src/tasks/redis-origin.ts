import { DefinitionError } from '../errors.js'

/** Where Redis is, for connections of the runner's own; other options of BullMQ's connections are passed on. */
export interface RedisAddress {
  readonly url?: string
  readonly host?: string
  readonly port?: number
  readonly username?: string
  readonly password?: string
  readonly db?: number
  readonly tls?: object
}

/** What is used of a client of the package `redis` 5: connections of the runner's own are made as its duplicates. */
export interface RedisOrigin {
  readonly isReady: boolean
  readonly options?: { readonly socket?: object } | undefined
  duplicate(overrides?: object): object
}

/** Throws `ERR_OPTION` for what leads to no Redis. */
export function checkConnection(connection: RedisAddress | RedisOrigin): void {
  const given: unknown = connection
  if (typeof given === 'object' && given !== null && (isOrigin(connection) || !('duplicate' in given))) return
  throw new DefinitionError('`connection` must be a client of `redis` 5 or an address', 'ERR_OPTION')
}

/** Whether it is a client and no address. */
export function isOrigin(connection: RedisAddress | RedisOrigin): connection is RedisOrigin {
  const { duplicate, isReady } = connection as Partial<RedisOrigin>
  return typeof duplicate === 'function' && typeof isReady === 'boolean'
}
