import { Readable } from 'node:stream'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Channel } from '../client/channel.js'
import { InternalClientError } from '../client/errors.js'
import { httpChannel } from '../client/http/http-channel.js'
import { onAbort } from '../network/on-abort.js'
import { ExchangeError, type HttpAnswer, type HttpExchange, type HttpPost } from '../network/http-exchange.js'

/** The part of a Fastify app that is needed to call it without a network. */
export interface InjectedApp {
  ready(): PromiseLike<unknown>
  inject(options: InjectOptions): PromiseLike<LightMyRequestResponse>
}

export interface InjectChannelOptions {
  /** Where the endpoint is, such as `/mcp`. */
  readonly path: string
  /** Sent with every request, by lower-case name, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A channel through `app.inject`: every request passes the hooks of the app, its guard and its plugins, and no port is
 * opened. It speaks as the channel over HTTP does. Closing it cuts what is under way and leaves the app alone.
 */
export function injectChannel(app: InjectedApp, options: InjectChannelOptions): Channel {
  return httpChannel({ exchange: injectExchange(app, options) })
}

function injectExchange(app: InjectedApp, { path, headers: own = {} }: InjectChannelOptions): HttpExchange {
  const running = new Set<CuttableBody>()
  let closed = false
  return {
    async send(post) {
      await app.ready().then(undefined, (cause: unknown) => {
        throw new ExchangeError(false, cause)
      })
      if (post.signal?.aborted === true) throw new ExchangeError(false, post.signal.reason)
      if (closed) throw new ExchangeError(false, new InternalClientError('The channel is closed'))
      const payload = new CuttableBody(post.body)
      const headers = { ...own, ...post.headers, 'content-length': String(Buffer.byteLength(post.body)) }
      const unwatch = onAbort(post.signal, () => payload.cut())
      const release = () => {
        running.delete(payload)
        unwatch()
      }
      running.add(payload)
      try {
        const response = await app.inject({
          method: 'POST',
          url: path,
          headers,
          payload,
          payloadAsStream: true,
        })
        return answerFrom(response, post, payload, release)
      } catch (error) {
        release()
        throw new ExchangeError(true, reasonOf(post, error))
      }
    },
    close() {
      closed = true
      for (const payload of running) payload.cut()
      return Promise.resolve()
    },
  }
}

/** The body of a request whose connection can be cut at any time, also when all of it was read. */
class CuttableBody extends Readable {
  constructor(text: string) {
    super({ autoDestroy: false, read: () => undefined })
    this.push(text)
    this.push(null)
  }

  /** An injected request ends with an error of its body, and the response with the request. */
  cut(): void {
    this.destroy(new Error('The connection was cut'))
  }
}

function answerFrom(
  response: LightMyRequestResponse,
  post: HttpPost,
  payload: CuttableBody,
  release: () => void,
): HttpAnswer {
  const stream = response.stream().on('error', () => undefined)
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* stream as AsyncIterable<Buffer>
    } catch (error) {
      throw reasonOf(post, error)
    }
  }
  return {
    status: response.statusCode,
    wwwAuthenticate: [response.headers['www-authenticate'] ?? []].flat().map(String),
    header(name) {
      const value = response.headers[name]
      return value === undefined ? undefined : [value].flat().join(', ')
    },
    body: body(),
    cancel() {
      release()
      if (!stream.readableEnded) payload.cut()
    },
  }
}

function reasonOf({ signal }: HttpPost, error: unknown): unknown {
  return signal?.aborted === true ? signal.reason : error
}
