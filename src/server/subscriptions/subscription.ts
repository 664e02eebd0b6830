import type { Principal } from '../../oauth/principal.js'
import type { Notice } from '../../protocol/2026-07-28/subscription-messages.js'
import type { Identity } from '../changes/change.js'
import type { LongAnswer, Outlet } from './outlet.js'

/** Why a subscription ends: as it should, or for a reason that may have lost changes. */
export type Ending = 'complete' | { readonly problem: string }

/** What gives a subscription its words and hears of its end. */
export interface SubscriptionHost {
  response(id: string, ending: Ending): string
  /** Nothing more is to be told. */
  ended(subscription: Subscription): void
  /** The connection is over. */
  gone(subscription: Subscription): void
}

/** Reads a notice when it is about to be sent. */
export type ReadState = () => Promise<Notice | undefined>

export interface SubscriptionParts {
  readonly host: SubscriptionHost
  /** JSON text of the request's id. */
  readonly id: string
  readonly outlet: Outlet
  readonly topics: readonly string[]
  /** Reads the state of a topic that has one. */
  readonly states?: ReadonlyMap<string, ReadState> | undefined
  readonly principal: Principal | undefined
  /** Called when nothing more is to be told. */
  readonly stop?: (() => void) | undefined
}

/** States one stream reads at a time, and so the most it holds for a reader that turns out to be slow. */
const mostReading = 4

/**
 * One open stream. A reader that is slow gets what changed meanwhile once, however often it changed; so what waits is
 * never more than what is followed.
 */
export class Subscription implements LongAnswer {
  readonly topics: readonly string[]
  readonly who: Identity | undefined
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** Ticks since something was sent, and since a slow reader lets changes wait. */
  quiet = 0
  stalled = 0
  readonly #parts: Pick<SubscriptionParts, 'host' | 'id' | 'outlet' | 'states' | 'stop'>
  #waiting: Map<string, Notice | ReadState> | undefined
  #reading: Set<string> | undefined
  #slow = false
  #isComplete = false
  #state: 'open' | 'ended' | 'gone' = 'open'

  constructor({ host, id, outlet, topics, states, principal, stop }: SubscriptionParts) {
    this.topics = topics
    this.who = principal && { issuer: principal.issuer, subject: principal.subject }
    this.expiresAt = principal === undefined ? Infinity : principal.expiresAt * 1000
    this.#parts = { host, id, outlet, states, stop }
  }

  get isStalled(): boolean {
    return this.#slow && this.#waiting !== undefined
  }

  /** Sends what every stream begins with. */
  acknowledge(first: Notice): void {
    this.#send(first)
  }

  /**
   * Sends a notice, or keeps it while the reader is slow. A later one of the same topic takes its place. One that comes
   * when the token has expired ends the stream instead.
   */
  tell(topic: string, told: Notice | ReadState): void {
    if (!this.#goesOn()) return
    if (this.#mustWait(topic, told)) (this.#waiting ??= new Map()).set(topic, told)
    else if (typeof told === 'function') void this.#read(topic, told)
    else this.#send(told)
  }

  /** The same for a topic whose notice is the state of something. */
  tellState(topic: string): void {
    const read = this.#parts.states?.get(topic)
    if (read !== undefined) this.tell(topic, read)
  }

  beat(): void {
    if (this.#slow || this.#state !== 'open') return
    this.quiet = 0
    this.#parts.outlet.beat()
  }

  end(ending: Ending): void {
    if (this.#state !== 'open') return
    const { host, id, outlet } = this.#parts
    this.#finish('ended')
    outlet.end(host.response(id, ending))
  }

  /** Ends as it should, once what waits is told. */
  complete(): void {
    this.#isComplete = true
    if (this.#waiting === undefined && (this.#reading?.size ?? 0) === 0) this.end('complete')
  }

  /** Gives up on a reader that does not even take the end. */
  cut(): void {
    this.#parts.outlet.cut()
  }

  drained(): void {
    if (!this.#slow) return
    this.#slow = false
    this.#tellWaiting()
  }

  closed(): void {
    if (this.#state === 'gone') return
    if (this.#state === 'open') this.#finish('gone')
    this.#state = 'gone'
    this.#parts.host.gone(this)
  }

  /** Whether there is more to tell: nothing is once the token has expired. */
  #goesOn(): boolean {
    if (this.#state === 'open' && this.expiresAt <= Date.now()) this.end('complete')
    return this.#state === 'open'
  }

  /** Whether a notice is for later: the reader is slow, or enough states are being read. */
  #mustWait(topic: string, told: Notice | ReadState): boolean {
    if (this.#slow || typeof told !== 'function' || this.#reading === undefined) return this.#slow
    return this.#reading.has(topic) || this.#reading.size >= mostReading
  }

  #send({ head, tail }: Notice): void {
    const { id, outlet } = this.#parts
    this.quiet = 0
    this.#slow = !outlet.send(head + id + tail)
  }

  /** A state is read when it is sent, and again if it changed while it was read. */
  async #read(topic: string, read: ReadState): Promise<void> {
    const reading = (this.#reading ??= new Set())
    reading.add(topic)
    try {
      const found = await read()
      reading.delete(topic)
      if (!this.#goesOn()) return
      if (found !== undefined) this.#tellRead(topic, found)
    } catch {
      this.end({ problem: 'A state could not be read' })
    }
    if (!this.#slow) this.#tellWaiting()
    else if (this.#isComplete) this.complete()
  }

  /** One that comes when the reader has become slow is the next to be sent, unless it has changed since. */
  #tellRead(topic: string, found: Notice): void {
    if (!this.#slow) this.#send(found)
    else if (this.#waiting?.has(topic) !== true)
      this.#waiting = new Map([[topic, found], ...(this.#waiting ?? [])])
  }

  #tellWaiting(): void {
    this.stalled = 0
    for (const [topic, told] of this.#waiting ?? []) {
      if (this.#mustWait(topic, told)) continue
      this.#waiting?.delete(topic)
      this.tell(topic, told)
    }
    if (this.#waiting?.size === 0) this.#waiting = undefined
    if (this.#isComplete) this.complete()
  }

  #finish(state: 'ended' | 'gone'): void {
    this.#state = state
    this.#waiting = undefined
    this.#reading = undefined
    this.#parts.stop?.()
    this.#parts.host.ended(this)
  }
}
