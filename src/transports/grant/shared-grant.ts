import { CastellanError } from '../../errors.js'
import { abortable } from '../../network/abortable.js'
import type { ReceivedChallenge } from '../../oauth/received-challenge.js'
import { AuthorizationUnavailableError } from '../errors.js'
import { isOfFuture } from './clock.js'
import type { ReadyGrant } from './grant-record.js'

/** Which grant a request needs. */
export interface GrantWish {
  /** The token the resource refused: another one is wanted. */
  readonly rejected?: string
  /** What the resource said when it refused. */
  readonly challenge?: ReceivedChallenge
  /** Scopes the grant must hold. */
  readonly scopes?: readonly string[]
}

/** The grant of one transport, shared by all requests of this process. */
export interface SharedGrant {
  /**
   * The grant in memory when it serves the wish, else one obtained once for everybody who waits for the same. Undefined when the
   * server asks for none. The signal ends the waiting, not the obtaining.
   */
  get(wish: GrantWish, signal: AbortSignal | undefined): Promise<ReadyGrant | undefined>
  /** Lets go of the grant in memory, and of what was told to wait for; the next request loads it, or gets another. */
  forget(): void
  /** Stops whoever waits for a lock or for metadata, and waits for an exchange that has begun. Idempotent. */
  close(): Promise<void>
}

/** Loads a grant that serves the wish, or gets one; the signal aborts when nobody waits any more. */
export type Obtain = (wish: GrantWish, signal: AbortSignal) => Promise<ReadyGrant | undefined>

interface Flight {
  readonly outcome: Promise<ReadyGrant | undefined>
  readonly stop: AbortController
  waiting: number
}

const earlyMilliseconds = 30_000
const longestPauseSeconds = 300

/**
 * Whether a token is good for a while: it ends 30 seconds early, or at half of a shorter life. Nothing is known of one that was
 * got in the future.
 */
export function isFresh({ expiresAt, obtainedAt }: ReadyGrant, now = Date.now()): boolean {
  if (expiresAt === undefined) return true
  if (isOfFuture(obtainedAt, now)) return false
  return now < expiresAt - Math.min(earlyMilliseconds, (expiresAt - obtainedAt) / 2)
}

/** Whether a grant is what the wish asks for. */
export function serves(grant: ReadyGrant, { rejected, scopes = [] }: GrantWish): boolean {
  return (
    isFresh(grant) && grant.issuanceId !== rejected && scopes.every((scope) => grant.granted.includes(scope))
  )
}

/** Shares what `obtain` gives among all requests. */
export function sharedGrant(obtain: Obtain): SharedGrant {
  const flights = new Map<string, Flight>()
  const underWay = new Set<Flight>()
  let current: ReadyGrant | undefined
  let pause: { readonly until: number; readonly error: unknown } | undefined
  let closed = false
  let generation = 0

  function begin(wish: GrantWish, key: string): Flight {
    const stop = new AbortController()
    const began = generation
    const outcome = obtain(wish, stop.signal).then(
      (grant) => (began === generation ? (current = grant) : grant),
      (error: unknown) => {
        if (began === generation) pause = pauseAfter(error)
        throw error
      },
    )
    const flight = { outcome, stop, waiting: 0 }
    flights.set(key, flight)
    underWay.add(flight)
    const end = () => {
      underWay.delete(flight)
      if (flights.get(key) === flight) flights.delete(key)
    }
    outcome.then(end, end)
    return flight
  }

  return {
    async get(wish, signal) {
      signal?.throwIfAborted()
      if (closed) throw closedError()
      if (current !== undefined && serves(current, wish)) return current
      if (pause !== undefined && performance.now() < pause.until) throw pause.error
      const key = JSON.stringify([wish.rejected, wish.scopes, wish.challenge])
      const flight = flights.get(key) ?? begin(wish, key)
      flight.waiting += 1
      try {
        return await abortable(flight.outcome, signal)
      } finally {
        flight.waiting -= 1
        if (flight.waiting === 0 && flights.get(key) === flight) {
          flights.delete(key)
          flight.stop.abort(new CastellanError('ERR_CLIENT', 'Nobody waits for the grant any more'))
        }
      }
    },
    forget() {
      generation += 1
      current = undefined
      pause = undefined
      flights.clear()
    },
    async close() {
      closed = true
      for (const { stop } of underWay) stop.abort(closedError())
      await Promise.allSettled([...underWay].map(({ outcome }) => outcome))
    },
  }
}

function closedError(): CastellanError {
  return new CastellanError('ERR_CLIENT', 'The transport is closed')
}

/** A server that names a time is not asked again before it. */
function pauseAfter(error: unknown): { readonly until: number; readonly error: unknown } | undefined {
  if (!(error instanceof AuthorizationUnavailableError) || error.retryAfterSeconds === undefined)
    return undefined
  return { until: performance.now() + Math.min(error.retryAfterSeconds, longestPauseSeconds) * 1000, error }
}
