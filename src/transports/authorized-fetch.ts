import { CastellanError } from '../errors.js'
import { ExchangeError, UnrunError } from '../network/http-exchange.js'
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
    const request = new Request(input, init)
    closing.throwIfAborted()
    if (request.url !== href) throw new CastellanError('ERR_CLIENT', 'This transport sends to one URL only')
    refuseCredentials((name) => request.headers.has(name))
    const whole = wholeBody(init?.body)
    const signal = AbortSignal.any([request.signal, closing])
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
      return answer.response
    } catch (error) {
      if (error instanceof UnrunError) throw error.cause
      throw error instanceof ExchangeError ? new TypeError('fetch failed', { cause: error.cause }) : error
    }
  }
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
