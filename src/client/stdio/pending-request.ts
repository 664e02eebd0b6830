import type { JsonObject } from '../../protocol/json.js'
import type { ChannelNotification, ChannelRequest } from '../channel.js'
import { MalformedResponseError, OutcomeUnknownError } from '../errors.js'
import { onAbort } from '../../network/on-abort.js'

/** Bytes of notifications that may wait for a slow callback before its request is given up. */
const mostWaiting = 8 * 1024 * 1024

interface WaitingNotification {
  readonly notification: ChannelNotification
  readonly bytes: number
}

/** What a channel does about a request in its name. */
export interface PendingEvents {
  /** It is over; nothing more is looked at. */
  settled(): void
  /** This side ended it while the server still works. */
  abandoned(): void
  /** Fewer notifications wait than before. */
  relieved(): void
}

/** A request on the pipes: its notifications, one at a time, and then how it ends. */
export class PendingRequest {
  readonly id: string
  readonly method: string
  /** What the notifications of its progress carry. */
  readonly progressToken: unknown
  readonly result: Promise<JsonObject>
  readonly #onNotification: ChannelRequest['onNotification']
  readonly #signal: AbortSignal | undefined
  readonly #events: PendingEvents
  #waiting: WaitingNotification[] = []
  #resolve!: (result: JsonObject) => void
  #reject!: (reason: unknown) => void
  #bytes = 0
  #unwatch: (() => void) | undefined
  #running = false
  #ending: (() => JsonObject) | undefined
  #settled = false

  constructor({ id, method, params, signal, onNotification }: ChannelRequest, events: PendingEvents) {
    this.id = id
    this.method = method
    this.progressToken = (params['_meta'] as JsonObject | undefined)?.['progressToken']
    this.#onNotification = onNotification
    this.#signal = signal
    this.#events = events
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.result.catch(() => undefined)
  }

  /** The request is on its way: from now on it is not undone but abandoned. */
  open(): void {
    this.#unwatch = onAbort(this.#signal, () => this.abandon(this.#signal?.reason))
  }

  /** Whether it is known how the request ends. */
  get ended(): boolean {
    return this.#ending !== undefined
  }

  /** Bytes of notifications that wait for the callback. */
  get backlog(): number {
    return this.#bytes
  }

  /** Queues a notification. One too many for a slow callback ends the request. */
  notify(notification: ChannelNotification, bytes: number): void {
    if (this.#ending !== undefined || this.#onNotification === undefined) return
    if (this.#bytes > 0 && this.#bytes + bytes > mostWaiting) {
      this.abandon(new MalformedResponseError('The server sends notifications faster than they are taken'))
      return
    }
    this.#waiting.push({ notification, bytes })
    this.#bytes += bytes
    this.#run()
  }

  /** Ends the request as `ending` says once the notifications before it were taken; later calls do nothing. */
  end(ending: () => JsonObject): void {
    if (this.#ending !== undefined) return
    this.#ending = ending
    this.#run()
  }

  /** Ends the request now; its outcome is unknown. */
  lose(cause: unknown): void {
    this.#settle(() => this.#reject(new OutcomeUnknownError(cause)))
  }

  /** The same, while the server may still be working. */
  abandon(cause: unknown): void {
    if (this.#settled) return
    if (this.#ending === undefined) this.#events.abandoned()
    this.lose(cause)
  }

  #run(): void {
    if (!this.#running) void this.#takeAll()
  }

  async #takeAll(): Promise<void> {
    this.#running = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      for (const next of batch) {
        if (this.#settled) break
        await this.#take(next)
      }
    }
    this.#running = false
    if (this.#ending !== undefined) this.#finish(this.#ending)
  }

  async #take({ notification, bytes }: WaitingNotification): Promise<void> {
    try {
      await this.#onNotification?.(notification)
    } catch (error) {
      this.abandon(error)
    }
    if (this.#settled) return
    this.#bytes -= bytes
    this.#events.relieved()
  }

  #finish(ending: () => JsonObject): void {
    this.#settle(() => {
      try {
        this.#resolve(ending())
      } catch (error) {
        this.#reject(error instanceof MalformedResponseError ? new OutcomeUnknownError(error) : error)
      }
    })
  }

  #settle(how: () => void): void {
    if (this.#settled) return
    this.#settled = true
    this.#bytes = 0
    this.#waiting = []
    this.#unwatch?.()
    how()
    this.#events.settled()
  }
}
