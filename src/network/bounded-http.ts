import type { IncomingHttpHeaders } from 'node:http'
import type { Agent } from 'undici'
import { AddressRefusedError, type AddressGuard } from './address-guard.js'
import { onAbort } from './on-abort.js'
import { neverConnected } from './never-connected.js'

/** What one exchange came to: an answer of any status but a redirect, or the step that failed. */
export type HttpOutcome =
  | {
      readonly ok: true
      readonly status: number
      /** By lower-case name. */
      readonly headers: Readonly<IncomingHttpHeaders>
      readonly body: Buffer
    }
  | { readonly ok: false; readonly fault: HttpFault; readonly status?: number }

/**
 * Where an exchange failed. With `refused`, an address the guard does not admit, and `unreachable` nothing was sent; `lost` is
 * a connection that ended before the answer did, `stopped` the caller's signal.
 */
export type HttpFault = 'unreachable' | 'lost' | 'refused' | 'timeout' | 'stopped' | 'redirect' | 'size'

/** One request; its headers and its form are the caller's. */
export interface HttpRequest {
  readonly url: string
  /** A form makes it a POST. */
  readonly form?: URLSearchParams
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
  /** Largest body of this answer, where it is less than the sender's limit. */
  readonly maxBytes?: number
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

const late = new Error('The exchange took too long')

/**
 * Makes a sender with its own connection pool, bounded in time and size.
 *
 * A redirect is a failure and is never followed; JSON without a content coding is asked for; nothing is sent twice. The
 * pool keeps no process alive.
 */
export function boundedHttp(limits: HttpLimits = {}): BoundedHttp {
  const { guard, timeoutMilliseconds = 5_000, maxBytes = 262_144, connections = 4 } = limits
  const pool = agentOnDemand(connections, guard)
  return {
    async send(request) {
      if (guard?.admits(request.url) === false) return { ok: false, fault: 'refused' }
      if (request.signal?.aborted) return { ok: false, fault: 'stopped' }
      const deadline = new AbortController()
      const timer = setTimeout(() => deadline.abort(late), timeoutMilliseconds).unref()
      const forget = onAbort(request.signal, () => deadline.abort())
      try {
        const most = Math.min(maxBytes, request.maxBytes ?? maxBytes)
        const agent = await pool.open()
        if (agent === undefined) return { ok: false, fault: 'unreachable' }
        return await exchange(agent, request, deadline.signal, most)
      } catch (error) {
        if (error instanceof AddressRefusedError) return { ok: false, fault: 'refused' }
        if (request.signal?.aborted) return { ok: false, fault: 'stopped' }
        if (deadline.signal.reason === late) return { ok: false, fault: 'timeout' }
        return { ok: false, fault: neverConnected(error) ? 'unreachable' : 'lost' }
      } finally {
        clearTimeout(timer)
        forget()
      }
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

async function exchange(
  agent: Agent,
  { url, form, headers }: HttpRequest,
  signal: AbortSignal,
  maxBytes: number,
): Promise<HttpOutcome> {
  const { origin, pathname, search } = new URL(url)
  const answer = await agent.request({
    origin,
    path: pathname + search,
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form && { body: form.toString() }),
    signal,
  })
  const { statusCode: status } = answer
  if (status >= 300 && status < 400) {
    await answer.body.dump({ limit: maxBytes, signal })
    return { ok: false, fault: 'redirect', status }
  }
  const body = await readBounded(answer.body, maxBytes)
  return body === undefined
    ? { ok: false, fault: 'size' }
    : { ok: true, status, headers: answer.headers, body }
}

async function readBounded(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
