import type { Dispatcher, Pool } from 'undici'
import { HttpBody } from './http-body.js'
import { httpEndpoint } from './http-endpoint.js'
import { ExchangeError, type HttpAnswer, type HttpExchange, type HttpPost } from './http-exchange.js'
import { onAbort } from './on-abort.js'

/** Settings of the connections to one server. */
export interface UndiciExchangeOptions {
  /** Most connections at once; a request beyond waits for one. Streams hold theirs. Default 256. */
  readonly connections?: number
}

/**
 * An exchange over kept-alive HTTP/1.1 connections of its own. Only connecting is timed, by undici's 10 seconds; every
 * other deadline is the caller's signal. Idle connections keep no process alive.
 */
export function undiciExchange(endpoint: string, options: UndiciExchangeOptions = {}): HttpExchange {
  const { origin, pathname, search } = httpEndpoint(endpoint)
  const path = pathname + search
  const { connections = 256 } = options
  let pool: Pool | undefined
  let loading: Promise<Pool> | undefined
  let isClosed = false

  /** Loads undici with the first request, since importing it is most of what importing a caller costs. */
  async function load(): Promise<Pool> {
    const undici = await import('undici')
    pool = new undici.Pool(origin, { connections, headersTimeout: 0, bodyTimeout: 0 })
    return pool
  }

  function post(through: Pool, { headers, body, signal }: HttpPost): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      if (isClosed) reject(new ExchangeError(false, new Error('The exchange was closed')))
      else if (signal?.aborted) reject(new ExchangeError(false, signal.reason))
      else through.dispatch({ path, method: 'POST', headers, body }, new PostHandler(signal, resolve, reject))
    })
  }

  return {
    send: async (request) => post(pool ?? (await (loading ??= load())), request),
    async close() {
      isClosed = true
      await (await loading)?.destroy()
    },
  }
}

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

/** Follows one request through the pool, so that it is known whether any of it was written. */
class PostHandler implements Dispatcher.DispatchHandler {
  readonly #signal: HttpPost['signal']
  readonly #resolve: (answer: HttpAnswer) => void
  readonly #reject: (error: ExchangeError) => void
  readonly #forgetSignal: () => void
  #controller: Dispatcher.DispatchController | undefined
  #body: HttpBody | undefined
  #refused = false

  constructor(
    signal: HttpPost['signal'],
    resolve: (answer: HttpAnswer) => void,
    reject: (error: ExchangeError) => void,
  ) {
    this.#signal = signal
    this.#resolve = resolve
    this.#reject = reject
    this.#forgetSignal = onAbort(signal, () => this.#abort())
  }

  /** Called right before the request is written; a second call would write it twice. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#refused || this.#controller !== undefined) {
      controller.abort(new Error('The request is not wanted any more'))
      return
    }
    this.#controller = controller
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return
    this.#body = new HttpBody(controller)
    this.#resolve(answer(status, headers, this.#body))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.write(chunk)
  }

  onResponseEnd(): void {
    this.#forgetSignal()
    this.#body?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#forgetSignal()
    const reason: unknown = this.#signal?.aborted ? this.#signal.reason : error
    if (this.#body === undefined) this.#reject(new ExchangeError(this.#controller !== undefined, reason))
    else this.#body.fail(reason)
  }

  #abort(): void {
    if (this.#controller !== undefined) {
      this.#controller.abort(new Error('Aborted'))
      return
    }
    this.#refused = true
    this.#reject(new ExchangeError(false, this.#signal?.reason))
  }
}

function answer(status: number, headers: Headers, body: HttpBody): HttpAnswer {
  return {
    status,
    header(name) {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    get wwwAuthenticate() {
      const value: string | string[] | undefined = headers['www-authenticate']
      return value === undefined ? [] : Array.isArray(value) ? value : [value]
    },
    body,
    cancel: () => body.cancel(),
  }
}
