import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { ChannelNotification, ChannelRequest } from '../channel.js'
import {
  ConnectionLostError,
  InternalClientError,
  MalformedResponseError,
  OutcomeUnknownError,
  SubscriptionCancelledError,
} from '../errors.js'
import { resultOf } from './answer.js'
import { readLine, type Incoming } from './incoming.js'
import { LineReader } from './line-reader.js'
import { LineWriter } from './line-writer.js'
import { offer } from './offer.js'
import { PendingRequest } from './pending-request.js'
import type { ServerProcess } from './server-process.js'

/** Bytes of notifications that may wait for a callback before reading stops, when nobody else waits for an answer. */
const comfortable = 256 * 1024
const subscriptionId = 'io.modelcontextprotocol/subscriptionId'
const listen = 'subscriptions/listen'
const mostOfStrayLine = 1024

/** The conversation with one process: which line belongs to which request. */
export class Connection {
  readonly #process: ServerProcess
  readonly #writer: LineWriter
  readonly #onStrayLine: ((line: string) => void) | undefined
  readonly #pending = new Map<unknown, PendingRequest>()
  readonly #byToken = new Map<unknown, PendingRequest>()
  #proceed: (() => void) | undefined
  #closed = false

  constructor(
    process: ServerProcess,
    maxLineBytes: number,
    onStrayLine: ((line: string) => void) | undefined,
  ) {
    this.#process = process
    this.#writer = new LineWriter(process.stdin)
    this.#onStrayLine = onStrayLine
    process.stdin.on('error', (cause) => this.#refuse(cause))
    process.onExit(() => this.#proceed?.())
    void this.#readAll(new LineReader(maxLineBytes))
  }

  /** Sends a request, whose JSON text is given, and waits for how it ends. */
  async request(request: ChannelRequest, text: string): Promise<JsonObject> {
    if (this.#pending.has(request.id)) throw new InternalClientError(`The id ${request.id} is in use`)
    const pending = new PendingRequest(request, {
      settled: () => this.#forget(pending),
      abandoned: () => this.#cancel(request.id),
      relieved: () => this.#proceed?.(),
    })
    const written = this.#writer.write(text, request.signal, () => this.#open(pending))
    this.#proceed?.()
    await written
    return pending.result
  }

  /** Ends the conversation: requests under way are lost at once, and later ones are refused. */
  close(): void {
    this.#closed = true
    this.#refuse()
    for (const pending of this.#pending.values())
      pending.lose(new ConnectionLostError('The channel was closed'))
  }

  #open(pending: PendingRequest): void {
    this.#pending.set(pending.id, pending)
    if (pending.progressToken !== undefined) this.#byToken.set(pending.progressToken, pending)
    pending.open()
  }

  #forget(pending: PendingRequest): void {
    this.#pending.delete(pending.id)
    if (this.#byToken.get(pending.progressToken) === pending) this.#byToken.delete(pending.progressToken)
    this.#proceed?.()
  }

  /** Tells the server that nobody waits any longer; what it still answers belongs to no request. */
  #cancel(requestId: string): void {
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    this.#writer.write(text).catch(() => undefined)
  }

  async #readAll(reader: LineReader): Promise<void> {
    try {
      for await (const chunk of this.#process.stdout as AsyncIterable<Buffer>) {
        for (const line of reader.read(chunk)) {
          this.#take(readLine(line), line)
          while (this.#isCrowded()) await new Promise<void>((resolve) => (this.#proceed = resolve))
        }
      }
      await this.#end()
    } catch (cause) {
      await this.#end(cause)
    }
  }

  /** From now on nothing is written. */
  #refuse(cause?: unknown): void {
    const closed = () => new InternalClientError('The channel is closed')
    this.#writer.end(this.#closed ? closed : () => ending(cause))
  }

  /** The output has ended, or what came is not to be trusted any further. */
  async #end(cause?: unknown): Promise<void> {
    this.#refuse(cause)
    await this.#process.stop(cause === undefined ? undefined : AbortSignal.abort())
    const message = `The server process ended (${this.#process.ending})`
    const why = cause instanceof MalformedResponseError ? cause : new ConnectionLostError(message, { cause })
    for (const pending of this.#pending.values()) {
      pending.end(() => {
        throw new OutcomeUnknownError(why)
      })
    }
  }

  /** Whether reading should wait for a slow callback: never while another request waits for its answer. */
  #isCrowded(): boolean {
    if (this.#pending.size !== 1 || !this.#writer.idle || this.#process.exited) return false
    const [only] = this.#pending.values()
    return only !== undefined && only.backlog > comfortable
  }

  #take(incoming: Incoming, line: Buffer): void {
    if (incoming.kind === 'answer') {
      this.#pending.get(incoming.id)?.end(() => resultOf(incoming.message))
    } else if (incoming.kind === 'notification') {
      if (incoming.method === 'notifications/cancelled') this.#endSubscription(incoming.params)
      else this.#ownerOf(incoming)?.notify(incoming, line.length)
    } else if (incoming.kind === 'request') {
      this.#refuseRequest(incoming.method)
    } else {
      offer(this.#onStrayLine, line.subarray(0, mostOfStrayLine).toString())
    }
  }

  /** Who a notification is for: a subscription by its id, a call by its progress token (MCP 2026-07-28, stdio). */
  #ownerOf({ method, params }: ChannelNotification): PendingRequest | undefined {
    if (method === 'notifications/progress') return this.#byToken.get(params['progressToken'])
    const meta = params['_meta']
    const owner = isJsonObject(meta) ? this.#pending.get(meta[subscriptionId]) : undefined
    return owner?.method === listen ? owner : undefined
  }

  /** A server may cancel subscriptions and nothing else; any other cancellation is ignored. */
  #endSubscription({ requestId, reason }: JsonObject): void {
    const subscription = this.#pending.get(requestId)
    if (subscription?.method !== listen) return
    const why = typeof reason === 'string' ? `The server cancelled the subscription: ${reason}` : undefined
    subscription.end(() => {
      throw new SubscriptionCancelledError(why)
    })
  }

  /** A server that asks does not speak this protocol, so nothing it would still answer counts. */
  #refuseRequest(method: string): void {
    const cause = new MalformedResponseError(`The server sent a request: ${method.slice(0, 64)}`)
    for (const pending of this.#pending.values()) {
      if (!pending.ended) pending.abandon(cause)
    }
  }
}

function ending(cause: unknown): ConnectionLostError {
  return new ConnectionLostError('The server process has ended', { cause })
}
