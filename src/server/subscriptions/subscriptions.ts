import { errorReply } from '../../protocol/message.js'
import { endOfSubscription } from '../../protocol/2026-07-28/subscription-messages.js'
import { topicOf, type Change, type Identity } from '../changes/change.js'
import type { Changes, Follower } from '../changes/changes.js'
import { changeNotice } from './change-notice.js'
import type { ListenLimits } from './listen-limits.js'
import type { Ending, Subscription, SubscriptionHost } from './subscription.js'

const tickMs = 1_000
/** Ticks a slow reader may let changes wait, and ticks it may take for the end. */
const longestStall = 30
const longestEnd = 5

/** All open subscriptions of a server: found by topic, kept alive and ended by one timer. */
export class Subscriptions implements SubscriptionHost, Follower {
  readonly #serverInfo: string
  readonly #limits: ListenLimits
  readonly #changes: Changes | undefined
  readonly #open = new Set<Subscription>()
  /** Those that were ended and whose reader has not taken it, with the ticks since. */
  readonly #ending = new Map<Subscription, number>()
  readonly #byTopic = new Map<string, Set<Subscription>>()
  #following: Promise<() => void> | undefined
  #timer: NodeJS.Timeout | undefined
  #opened = 0
  #isClosed = false

  constructor(serverInfo: string, limits: ListenLimits, changes: Changes | undefined) {
    this.#serverInfo = serverInfo
    this.#limits = limits
    this.#changes = changes
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether the bus was lost since it was followed. */
  get isDeaf(): boolean {
    return this.#changes !== undefined && this.#following === undefined
  }

  /** Resolves once no change is missed any more. */
  async follow(): Promise<void> {
    if (this.#changes === undefined || this.#isClosed) return
    const following = (this.#following ??= this.#changes.follow(this))
    try {
      await following
    } catch (error) {
      if (this.#following === following) this.#following = undefined
      throw error
    }
  }

  add(subscription: Subscription): void {
    this.#open.add(subscription)
    subscription.quiet = this.#opened++ % this.#beatTicks
    for (const topic of subscription.topics) {
      const followers = this.#byTopic.get(topic)
      if (followers === undefined) this.#byTopic.set(topic, new Set([subscription]))
      else followers.add(subscription)
    }
    this.#timer ??= setInterval(() => this.#tick(Date.now()), tickMs).unref()
  }

  hear(change: Change): void {
    const topic = topicOf(change)
    const followers = this.#byTopic.get(topic)
    if (followers === undefined) return
    const told = changeNotice(change)
    for (const subscription of followers) {
      if (!isMeant(change.to, subscription.who)) continue
      if (told === undefined) subscription.tellState(topic)
      else subscription.tell(topic, told)
    }
  }

  lost(): void {
    this.#following = undefined
    this.#endAll({ problem: 'Changes may have been missed' })
  }

  /** Ends all subscriptions as they should end; no more begin. */
  close(): void {
    this.#isClosed = true
    this.#endAll('complete')
    void this.#following?.then(
      (leave) => leave(),
      () => undefined,
    )
    this.#following = undefined
  }

  response(id: string, ending: Ending): string {
    return ending === 'complete'
      ? endOfSubscription(id, this.#serverInfo)
      : errorReply(id, -32603, ending.problem)
  }

  ended(subscription: Subscription): void {
    this.#open.delete(subscription)
    this.#ending.set(subscription, 0)
    for (const topic of subscription.topics) {
      const followers = this.#byTopic.get(topic)
      followers?.delete(subscription)
      if (followers?.size === 0) this.#byTopic.delete(topic)
    }
  }

  gone(subscription: Subscription): void {
    this.#ending.delete(subscription)
    if (this.#open.size > 0 || this.#ending.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  get #beatTicks(): number {
    return Math.ceil(this.#limits.keepAliveMs / tickMs)
  }

  #endAll(ending: Ending): void {
    for (const subscription of [...this.#open]) subscription.end(ending)
  }

  #tick(now: number): void {
    for (const subscription of this.#open) {
      if (subscription.expiresAt <= now) subscription.end('complete')
      else if (subscription.isStalled) {
        if (++subscription.stalled > longestStall) subscription.end({ problem: 'The reader is too slow' })
      } else if (++subscription.quiet >= this.#beatTicks) subscription.beat()
    }
    for (const [subscription, ticks] of this.#ending) {
      if (ticks >= longestEnd) subscription.cut()
      else this.#ending.set(subscription, ticks + 1)
    }
  }
}

function isMeant(to: Change['to'], who: Identity | undefined): boolean {
  if (to === undefined) return true
  return to.some(({ issuer, subject }) => issuer === who?.issuer && subject === who.subject)
}
