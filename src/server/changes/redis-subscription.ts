/** What is used of a client of the package `redis` 5 for pub/sub. */
export interface RedisClient {
  readonly options?: { readonly socket?: object } | undefined
  publish(channel: string, message: string): Promise<unknown>
  duplicate(overrides?: object): RedisSubscriber
}

/** What is used of a duplicate of it. */
export interface RedisSubscriber {
  connect(): Promise<unknown>
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  ping(): Promise<unknown>
  on(event: 'error' | 'end', listener: () => void): unknown
  destroy(): void
}

/** How often a silent connection is asked whether it still is one. */
const askEveryMs = 5_000

/**
 * Hears a channel on a connection of its own that is never restored in silence: it is lost once, whether it was closed,
 * broke, or answers no more. Resolves when it hears.
 */
export async function subscribeTo(
  client: RedisClient,
  channel: string,
  hear: (message: string) => void,
  lost: () => void,
): Promise<() => void> {
  const own = client.duplicate({ socket: { ...client.options?.socket, reconnectStrategy: false } })
  let state: 'opening' | 'hearing' | 'over' = 'opening'
  const close = () => {
    if (state === 'over') return
    state = 'over'
    clearInterval(asking)
    destroy(own)
  }
  const lose = () => {
    const wasHearing = state === 'hearing'
    close()
    if (wasHearing) lost()
  }
  const isOver = () => state === 'over'
  const asking = askEvery(own, lose)
  own.on('error', lose)
  own.on('end', lose)
  try {
    await own.connect()
    await own.subscribe(channel, hear)
  } catch (error) {
    close()
    throw error
  }
  if (isOver()) throw new Error('The connection to Redis was lost while it was opened')
  state = 'hearing'
  return close
}

function askEvery(connection: RedisSubscriber, lose: () => void): NodeJS.Timeout {
  let isAnswered = true
  return setInterval(() => {
    if (!isAnswered) {
      lose()
      return
    }
    isAnswered = false
    connection.ping().then(() => {
      isAnswered = true
    }, lose)
  }, askEveryMs).unref()
}

/** A client that is closed already throws. */
function destroy(connection: RedisSubscriber): void {
  try {
    connection.destroy()
  } catch {
    return
  }
}
