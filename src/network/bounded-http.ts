import type { Agent } from 'undici'
import type { AddressGuard } from './address-guard.js'
import type { HttpOutcome } from './http-outcome.js'
import { onAbort } from './on-abort.js'
import { WholeAnswer } from './whole-answer.js'

/** One request; its headers and its form are the caller's. */
export interface HttpRequest {
  readonly url: string
  /** A form makes it a POST. */
  readonly form?: URLSearchParams
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
  /** Largest body of this answer, where it is less than the sender's limit. */
  readonly maxBytes?: number
  /** For the whole exchange, where it is less than the sender's limit. */
  readonly timeoutMilliseconds?: number
  readonly signal?: AbortSignal | undefined
}

/** Sends small requests to authorization servers over pooled connections. */
export interface BoundedHttp {
  /** Never rejects. */
  send(request: HttpRequest): Promise<HttpOutcome>
  /** Aborts what is under way and closes the pool. */
  close(): Promise<void>
}

/** Limits of one exchange. */
export interface HttpLimits {
  /** Which addresses may be reached. Default all: for URLs that the operator wrote. */
  readonly guard?: AddressGuard
  /** For the whole exchange with the body. Default 5,000 ms. */
  readonly timeoutMilliseconds?: number
  /** Largest body. Default 262,144 bytes. */
  readonly maxBytes?: number
  /** Most connections to one origin. Default 4. */
  readonly connections?: number
}

/**
 * Makes a sender with its own connection pool, bounded in time and size.
 *
 * A redirect is a failure and is never followed; JSON without a content coding is asked for; nothing is sent twice. The
 * pool keeps no process alive.
 */
export function boundedHttp(limits: HttpLimits = {}): BoundedHttp {
  const { guard, timeoutMilliseconds = 5_000, maxBytes = 262_144, connections = 4 } = limits
  const pool = agentOnDemand(connections, guard)

  function follow(agent: Agent, request: HttpRequest): Promise<HttpOutcome> {
    return new Promise((resolve) => {
      const settle = (outcome: HttpOutcome) => {
        clearTimeout(timer)
        forget()
        resolve(outcome)
      }
      const answer = new WholeAnswer(Math.min(maxBytes, request.maxBytes ?? maxBytes), settle)
      const milliseconds = Math.min(timeoutMilliseconds, request.timeoutMilliseconds ?? timeoutMilliseconds)
      const timer = setTimeout(() => answer.stop('timeout'), milliseconds).unref()
      const forget = onAbort(request.signal, () => answer.stop('stopped'))
      try {
        dispatch(agent, request, answer)
      } catch {
        settle({ ok: false, fault: 'unreachable' })
      }
    })
  }

  return {
    async send(request) {
      if (guard?.admits(request.url) === false) return { ok: false, fault: 'refused' }
      const agent = await pool.open()
      if (request.signal?.aborted) return { ok: false, fault: 'stopped' }
      return agent === undefined ? { ok: false, fault: 'unreachable' } : follow(agent, request)
    },
    close: () => pool.close(),
  }
}

/** Loads undici with the first request, since importing it is most of what starting costs. */
function agentOnDemand(
  connections: number,
  guard: AddressGuard | undefined,
): { open(): Promise<Agent | undefined>; close(): Promise<void> } {
  let agent: Promise<Agent> | undefined
  let isClosed = false
  return {
    async open() {
      if (isClosed) return undefined
      const connect = guard && { lookup: guard.lookup }
      return await (agent ??= import('undici').then(
        ({ Agent }) => new Agent({ connections, ...(connect && { connect }) }),
      ))
    },
    async close() {
      isClosed = true
      await (await agent)?.destroy()
    },
  }
}

function dispatch(agent: Agent, { url, form, headers }: HttpRequest, answer: WholeAnswer): void {
  const { origin, pathname, search } = new URL(url)
  const request = {
    origin,
    path: pathname + search,
    method: form === undefined ? ('GET' as const) : ('POST' as const),
    headers: {
      accept: 'application/json',
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form && { body: form.toString() }),
  }
  agent.dispatch(request, answer)
}
