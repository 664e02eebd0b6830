import type { Logger, RouteValues } from '../../contract/context.js'
import type { Principal } from '../../oauth/principal.js'
import type { ScopeAlternatives } from '../../oauth/scope.js'
import type { JsonObject } from '../../protocol/json.js'
import type { Channel, ChannelRequest } from '../channel.js'
import {
  ConnectionLostError,
  HttpResponseError,
  InternalClientError,
  MalformedResponseError,
  OutcomeUnknownError,
  RpcError,
} from '../errors.js'
import { resultOf } from '../stdio/answer.js'
import { onAbort } from '../../network/on-abort.js'

/** What a server is told about a request in this process. */
interface LocalContext {
  readonly principal?: Principal | undefined
  readonly route?: RouteValues
  readonly log: Logger
  notify(notification: string): Promise<void>
  signal(disconnectCancels: boolean): AbortSignal
}

/** Where an answer that goes on is let out. */
interface LocalOutlet {
  send(message: string): boolean
  beat(): void
  end(response: string): void
  cut(): void
}

/** What an answer that goes on is told. */
interface LocalLongAnswer {
  drained(): void
  closed(): void
}

/** How a server in this process answers: with the text of a JSON-RPC response, or with what keeps it from one. */
type LocalAnswer =
  | { readonly kind: 'stream'; readonly open: (outlet: LocalOutlet) => LocalLongAnswer }
  | { readonly kind: 'result' | 'error'; readonly payload: string | Uint8Array }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'forbidden'; readonly scopes: ScopeAlternatives }

type EndingAnswer = Exclude<LocalAnswer, { kind: 'stream' }>

/** Anything that answers requests in this process, such as a server without a transport. */
export interface LocalServer {
  dispatch(
    request: { readonly body: JsonObject; readonly id: string },
    context: LocalContext,
  ): Promise<LocalAnswer>
}

export interface LocalChannelOptions {
  readonly server: LocalServer
  /** Who calls; the server checks its scopes as if a token had said so. */
  readonly principal?: Principal
  /** The values of the URL the server would have. */
  readonly route?: RouteValues
  /** Where the server logs; nowhere when left out. */
  readonly log?: Logger
}

const nowhere: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/**
 * A channel to a server in this process. Messages are written and read as JSON, so that a call means what it means over
 * a network. Missing scopes reject with `HttpResponseError` 403 and their challenge, as they do over HTTP: JSON-RPC has
 * no code for them, it is known that nothing ran, and whoever handles the one then handles the other.
 */
export function localChannel({ server, principal, route, log = nowhere }: LocalChannelOptions): Channel {
  const running = new Set<LocalExchange>()
  const knowledge = { log, ...(principal && { principal }), ...(route && { route }) }
  let closed = false
  return {
    async request(request) {
      request.signal?.throwIfAborted()
      if (closed) throw new InternalClientError('The channel is closed')
      const body = copied(request)
      const exchange = new LocalExchange(request)
      running.add(exchange)
      try {
        const context = { ...knowledge, notify: exchange.notify, signal: exchange.signal }
        const call = { body, id: JSON.stringify(request.id) }
        return await exchange.answered(async () => server.dispatch(call, context))
      } finally {
        running.delete(exchange)
      }
    },
    close() {
      closed = true
      for (const exchange of running) exchange.close()
      return Promise.resolve()
    },
  }
}

/** Neither side may change what the other holds. */
function copied({ id, method, params }: ChannelRequest): JsonObject {
  try {
    return JSON.parse(JSON.stringify({ jsonrpc: '2.0', id, method, params })) as JsonObject
  } catch (cause) {
    throw new InternalClientError('The parameters cannot be written as JSON', { cause })
  }
}

/** Characters of notifications that may wait for a slow callback before further ones are dropped, as over HTTP. */
const mostWaiting = 1024 * 1024

/** One request and what its handler tells meanwhile. */
class LocalExchange {
  readonly #request: ChannelRequest
  readonly #callerGone = new AbortController()
  readonly #channelClosed = new AbortController()
  readonly #lost: Promise<never>
  #lose!: (error: OutcomeUnknownError) => void
  #told: Promise<void> = Promise.resolve()
  #waiting = 0
  #over = false

  constructor(request: ChannelRequest) {
    this.#request = request
    this.#lost = new Promise((_resolve, reject) => (this.#lose = reject))
    this.#lost.catch(() => undefined)
  }

  /** Runs the server and waits for its answer, the notifications before it, or the loss of both. */
  async answered(dispatch: () => Promise<LocalAnswer>): Promise<JsonObject> {
    const { signal } = this.#request
    const unwatch = onAbort(signal, () => this.#end(signal?.reason))
    try {
      const answer = await this.#first(dispatch())
      await Promise.race([this.#lost, this.#told])
      return resultFrom(answer)
    } finally {
      this.#over = true
      unwatch()
    }
  }

  /** What ends the request: the answer, or the end of one that goes on. */
  async #first(dispatched: Promise<LocalAnswer>): Promise<EndingAnswer> {
    const ended = dispatched.catch(unknownOutcome).then((answer) => {
      return answer.kind === 'stream' ? this.#follow(answer) : answer
    })
    return Promise.race([this.#lost, ended])
  }

  /** A slow callback makes the server wait before it tells more. */
  async #follow({ open }: Extract<LocalAnswer, { kind: 'stream' }>): Promise<EndingAnswer> {
    let long: LocalLongAnswer | undefined
    const response = new Promise<string>((resolve) => {
      const told = (message: string) => void this.notify(message).then(() => long?.drained())
      long = open({
        send: (message) => (told(message), false),
        beat: () => undefined,
        end: resolve,
        cut: () => undefined,
      })
    })
    try {
      return { kind: 'result', payload: await Promise.race([this.#lost, response]) }
    } finally {
      long?.closed()
    }
  }

  close(): void {
    this.#channelClosed.abort(new DOMException('The channel was closed', 'AbortError'))
    this.#end(new ConnectionLostError('The channel was closed'))
  }

  readonly signal = (disconnectCancels: boolean): AbortSignal =>
    (disconnectCancels ? this.#callerGone : this.#channelClosed).signal

  /** Resolves when the callback has taken it, so that a handler may wait. */
  readonly notify = (text: string): Promise<void> => {
    if (this.#over || this.#request.onNotification === undefined || this.#waiting > mostWaiting) {
      return Promise.resolve()
    }
    this.#waiting += text.length
    this.#told = this.#told.then(() => this.#tell(text))
    return this.#told
  }

  async #tell(text: string): Promise<void> {
    this.#waiting -= text.length
    if (this.#over) return
    try {
      const { method, params = {} } = JSON.parse(text) as { method: string; params?: JsonObject }
      await this.#request.onNotification?.({ method, params })
    } catch (error) {
      this.#end(error)
    }
  }

  #end(cause: unknown): void {
    this.#over = true
    this.#lose(new OutcomeUnknownError(cause))
    this.#callerGone.abort(new DOMException('The caller is gone', 'AbortError'))
  }
}

function unknownOutcome(error: unknown): never {
  throw new OutcomeUnknownError(error)
}

function resultFrom(answer: EndingAnswer): JsonObject {
  if (answer.kind === 'forbidden') throw new HttpResponseError(403, [challenge(answer.scopes)])
  try {
    if (answer.kind === 'accepted') throw new MalformedResponseError('The server did not answer')
    const { payload } = answer
    return resultOf(JSON.parse(typeof payload === 'string' ? payload : utf8.decode(payload)) as JsonObject)
  } catch (error) {
    throw error instanceof RpcError ? error : new OutcomeUnknownError(error)
  }
}

const utf8 = new TextDecoder()

/** The challenge of RFC 6750 section 3.1, without the metadata a server without a URL does not have. */
function challenge([scopes = []]: ScopeAlternatives): string {
  return `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`
}
