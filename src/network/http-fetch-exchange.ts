import { httpEndpoint } from './http-endpoint.js'
import { ExchangeError, type HttpAnswer, type HttpExchange, type HttpPost } from './http-exchange.js'
import { neverConnected } from './never-connected.js'
import { onAbort } from './on-abort.js'

/** How a `fetch` is used. */
export interface FetchExchangeOptions {
  /** `manual` (default) gives a redirect as an answer, `error` as a failed exchange; it is followed by neither. */
  readonly redirect?: 'manual' | 'error'
}

/** An exchange over a `fetch`, for runtimes and test set-ups that bring their own network. */
export function fetchExchange(
  endpoint: string,
  fetch: typeof globalThis.fetch,
  options: FetchExchangeOptions = {},
): HttpExchange {
  const { href } = httpEndpoint(endpoint)
  const { redirect = 'manual' } = options
  const underWay = new Set<AbortController>()
  let closed = false
  return {
    async send(post) {
      if (closed) throw new ExchangeError(false, new Error('The exchange is closed'))
      if (post.signal?.aborted) throw new ExchangeError(false, post.signal.reason)
      const cutter = new AbortController()
      const release = follow(cutter, post.signal, underWay)
      const { body } = post
      const headers = { ...post.headers, 'accept-encoding': 'identity' }
      const init: RequestInit = { method: 'POST', headers, body, redirect, signal: cutter.signal }
      try {
        return answer(await fetch(href, init), cutter, release)
      } catch (error) {
        release()
        throw new ExchangeError(
          !neverConnected(causeOf(error)),
          cutter.signal.aborted ? cutter.signal.reason : error,
        )
      }
    },
    close() {
      closed = true
      for (const cutter of underWay) cutter.abort(new Error('The exchange was closed'))
      return Promise.resolve()
    },
  }
}

function follow(
  cutter: AbortController,
  signal: HttpPost['signal'],
  underWay: Set<AbortController>,
): () => void {
  const forgetSignal = onAbort(signal, () => cutter.abort(signal?.reason))
  underWay.add(cutter)
  return () => {
    forgetSignal()
    underWay.delete(cutter)
  }
}

function answer(response: Response, cutter: AbortController, release: () => void): HttpAnswer {
  const challenge = response.headers.get('www-authenticate')
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    wwwAuthenticate: challenge === null ? [] : [challenge],
    body: chunks(response, cutter.signal, release),
    cancel() {
      release()
      cutter.abort(new Error('The rest of the answer is not wanted'))
    },
  }
}

async function* chunks(
  response: Response,
  signal: AbortSignal,
  release: () => void,
): AsyncGenerator<Uint8Array, void> {
  const reader = response.body?.getReader()
  try {
    for (;;) {
      const part = await reader?.read()
      if (part?.value === undefined) return
      yield part.value
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    release()
    reader?.cancel().catch(() => undefined)
  }
}

/** What Node's `fetch` rejects with keeps the reason as its cause. */
function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}
