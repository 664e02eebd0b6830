import { finished } from 'node:stream'
import { CastellanError } from '../errors.js'
import { ExchangeError, UnrunError } from '../network/http-exchange.js'
import { joinSignals } from '../network/joined-signal.js'
import type { Authorizer } from './authorizer.js'
import { refuseCredentials } from './client-transport.js'
import { sendAuthorized } from './send-authorized.js'

/** A `fetch` bound to one URL that adds authorization to the global one. */
export function authorizedFetch(
  endpoint: string,
  authorizer: Authorizer,
  closing: AbortSignal,
): typeof globalThis.fetch {
  const { href } = new URL(endpoint)
  return async (input, init) => {
    // A request with the signal of the caller would listen to it for as long as the request is there.
    const request = new Request(input, init instanceof Request ? init : { ...init, signal: null })
    closing.throwIfAborted()
    if (request.url !== href) throw new CastellanError('ERR_CLIENT', 'This transport sends to one URL only')
    refuseCredentials((name) => request.headers.has(name))
    const whole = wholeBody(init?.body)
    const { signal, release } = joinSignals([signalOf(input, init), closing])
    const sent: RequestInit = { method: request.method, redirect: 'error', signal }
    const body: RequestInit = whole === undefined ? { body: request.body, duplex: 'half' } : { body: whole }
    try {
      const { answer } = await sendAuthorized(authorizer, {
        send: async (headers) =>
          fetched(await fetch(href, { ...sent, ...body, headers: merged(request, headers) })),
        method: request.method,
        repeatable: whole !== undefined || request.body === null,
        signal,
      })
      onEnd(answer.response, release)
      return answer.response
    } catch (error) {
      release()
      if (error instanceof UnrunError) throw error.cause
      throw error instanceof ExchangeError ? new TypeError('fetch failed', { cause: error.cause }) : error
    }
  }
}

function signalOf(...[input, init]: Parameters<typeof fetch>): AbortSignal | undefined {
  const own = input instanceof Request ? input.signal : undefined
  return (init?.signal === undefined ? own : init.signal) ?? undefined
}

/** When the body was read to its end, let go of, or has failed. */
function onEnd({ body }: Response, callback: () => void): void {
  if (body === null) callback()
  // Takes streams of the web as well, which its types do not say.
  else finished(body as unknown as NodeJS.ReadableStream, callback)
}

function merged({ headers }: Request, added: Readonly<Record<string, string>>): Headers {
  const all = new Headers(headers)
  for (const [name, value] of Object.entries(added)) all.set(name, value)
  return all
}

/** A body that is there as a whole, kept as it is now; undefined for what can be read only once. */
function wholeBody(body: RequestInit['body']): string | Uint8Array<ArrayBuffer> | undefined {
  if (typeof body === 'string') return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body.slice(0))
  if (!ArrayBuffer.isView(body)) return undefined
  return new Uint8Array(body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength) as ArrayBuffer)
}

function fetched(response: Response) {
  const challenge = response.headers.get('www-authenticate')
  return {
    response,
    status: response.status,
    wwwAuthenticate: challenge === null ? [] : [challenge],
    header: (name: string) => response.headers.get(name) ?? undefined,
    cancel: () => void response.body?.cancel().catch(() => undefined),
  }
}
