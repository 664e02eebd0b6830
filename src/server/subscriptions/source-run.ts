import type { FollowerContext } from '../../contract/extension.js'
import { onAbort } from '../../network/on-abort.js'
import type { Changed } from '../changes/change.js'
import type { Selection } from './filter.js'
import type { SourceEvent, SubscriptionSource } from './source.js'
import type { Subscription } from './subscription.js'

/** A feed that acknowledged. */
export interface SourceRun {
  /** What it follows. */
  readonly selection: Selection
  /** Passes its changes on until it ends or is stopped. */
  feed(subscription: Subscription, tell: (changed: Changed) => void): void
  readonly stop: () => void
}

/** Starts a feed and waits for its acknowledgement, or until `signal` tells that the caller is gone. */
export async function runSource(
  { follow }: SubscriptionSource,
  wanted: Selection,
  context: FollowerContext,
  signal: AbortSignal,
): Promise<SourceRun> {
  const over = new AbortController()
  const events = follow(wanted, { ...context, signal: over.signal })
  const stop = () => {
    over.abort(new DOMException('Nobody listens', 'AbortError'))
    void ended(events)
  }
  const left = new Promise<never>((_resolve, reject) => {
    over.signal.addEventListener('abort', () => reject(over.signal.reason as Error))
  })
  left.catch(() => undefined)
  const forget = onAbort(signal, stop)
  try {
    const { value, done } = await Promise.race([events.next(), left])
    if (done === true || value.kind !== 'acknowledged')
      throw new TypeError('A source of changes must yield an acknowledgement first')
    const selection = acknowledged(value, wanted)
    return {
      selection,
      stop,
      feed: (subscription, tell) => void feed(events, over.signal, context, subscription, tell),
    }
  } catch (error) {
    stop()
    throw error
  } finally {
    forget()
  }
}

/** Whatever a feed does when it is told to end, nobody waits for it. */
async function ended(events: AsyncIterator<SourceEvent, unknown, undefined>): Promise<void> {
  try {
    await events.return?.()
  } catch {
    return
  }
}

function acknowledged(given: Partial<Selection>, wanted: Selection): Selection {
  const { lists = wanted.lists, resources = wanted.resources, states = wanted.states } = given
  const isWider =
    lists.some((kind) => !wanted.lists.includes(kind)) ||
    resources.some((uri) => !wanted.resources.includes(uri)) ||
    Object.entries(states).some(([filter, ids]) =>
      ids.some((id) => wanted.states[filter]?.includes(id) !== true),
    )
  if (isWider) throw new TypeError('A source of changes acknowledged more than was selected')
  return { lists, resources, states }
}

async function feed(
  events: AsyncIterator<SourceEvent, unknown, undefined>,
  signal: AbortSignal,
  { log }: FollowerContext,
  subscription: Subscription,
  tell: (changed: Changed) => void,
): Promise<void> {
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next())
      tell(changedBy(next.value))
    subscription.complete()
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, 'A source of changes failed')
    subscription.end({ problem: 'Changes may have been missed' })
  }
}

const lists = { tools_changed: 'tools', prompts_changed: 'prompts', resources_changed: 'resources' } as const

function changedBy(event: SourceEvent): Changed {
  if (event.kind === 'acknowledged') throw new TypeError('A source of changes acknowledged twice')
  if (event.kind === 'resource_updated') return { kind: 'resource', uri: event.uri }
  return event.kind === 'state_changed'
    ? { kind: 'state', filter: event.filter, id: event.id }
    : { kind: lists[event.kind] }
}
