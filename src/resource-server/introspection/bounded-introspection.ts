import type { Blocked, CircuitBreaker } from './circuit-breaker.js'
import type { Introspection, Introspector } from './introspector.js'
import { requestSlots } from './request-slots.js'

/** How much is asked at once and how long anybody waits. */
export interface IntrospectionLimits {
  readonly concurrent: number
  readonly waiting: number
  /** From the call to the answer; half of it at most is spent waiting for a turn. */
  readonly timeoutMilliseconds: number
}

const crowded: Introspection = { ok: false, reason: 'introspection: too many requests at once' }
const late: Introspection = {
  ok: false,
  reason: 'introspection: timeout',
  outage: 'introspection: timeout',
}

/**
 * Asks in turn, only while the authorization server is well, and never longer than the limit. Never rejects.
 *
 * Whoever is asked has at least half of the time, so a crowd here is not taken for an outage there.
 */
export function boundedIntrospection(
  introspect: Introspector,
  breaker: CircuitBreaker,
  { concurrent, waiting, timeoutMilliseconds }: IntrospectionLimits,
): (token: string) => Promise<Introspection | Blocked> {
  const slots = requestSlots(concurrent, waiting)

  async function ask(token: string): Promise<Introspection | Blocked> {
    const end = performance.now() + timeoutMilliseconds
    if (!(await slots.take(timeoutMilliseconds / 2))) return crowded
    try {
      const left = Math.ceil(end - performance.now())
      return await breaker.run(() => noLongerThan(left, introspect(token, left)))
    } finally {
      slots.giveBack()
    }
  }

  return async (token) => breaker.blocked ?? (await ask(token))
}

async function noLongerThan(milliseconds: number, asked: Promise<Introspection>): Promise<Introspection> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<Introspection>((resolve) => {
    timer = setTimeout(() => resolve(late), milliseconds)
  })
  try {
    return await Promise.race([asked, over])
  } finally {
    clearTimeout(timer)
  }
}
