import type { ExtensionSubscription, FollowerContext } from '../../contract/extension.js'
import { WireError } from '../../errors.js'
import { acknowledgement, notice, type Notice } from '../../protocol/2026-07-28/subscription-messages.js'
import type { Call } from '../call.js'
import { topicOf, type Changed } from '../changes/change.js'
import { requireExtension } from '../declared-extension.js'
import { StreamedAnswer, type Method } from '../method.js'
import { changeNotice } from './change-notice.js'
import { readFilter, topicsOf, writeFilter, type Selection } from './filter.js'
import type { ListenLimits } from './listen-limits.js'
import { Places } from './places.js'
import type { SubscriptionSource } from './source.js'
import { runSource, type SourceRun } from './source-run.js'
import { Subscription, type ReadState } from './subscription.js'
import type { Subscriptions } from './subscriptions.js'
import type { Watchable } from './watchable.js'

/** What an extension puts on streams, and its identifier. */
export interface StateSource extends ExtensionSubscription {
  readonly extension: string
}

export interface ListenParts {
  readonly subscriptions: Subscriptions
  readonly limits: ListenLimits
  readonly watchable: Watchable
  readonly source?: SubscriptionSource | undefined
  /** By their filter members. */
  readonly states: ReadonlyMap<string, StateSource>
  /** Whether anything tells changes of a filter member. */
  readonly isTold: (filter: string) => boolean
}

/**
 * `subscriptions/listen`: judges what a caller may follow, then answers with a stream that begins with just that. What is
 * not offered and what the caller may not see are left out alike (MCP 2026-07-28, "Subscriptions").
 */
export function listenMethod(parts: ListenParts): Method {
  const { subscriptions, limits, source, states } = parts
  const places = new Places(limits.streamsPerPrincipal)
  return {
    run: async (call) => {
      const wanted = readFilter(call.envelope.params, states.keys(), limits.targetsPerStream)
      for (const member of Object.keys(wanted.states)) {
        const extension = states.get(member)?.extension
        if (extension !== undefined) requireExtension(extension, call.envelope.capabilities)
      }
      if (!call.streams) throw new WireError('ERR_ACCEPT', 'A subscription is answered with an event stream')
      const free = places.take(call.principal)
      try {
        const { principal, log, route, givenRoute } = call
        const context = { principal, log, route, givenRoute }
        const selection = await narrowed(wanted, parts, context)
        const isEmpty = topicsOf(selection).length === 0
        if (isEmpty || source === undefined) {
          if (!isEmpty) await followed(subscriptions, call)
          return streamed(subscriptions, selection, stateReaders(selection, states, context), call, free)
        }
        const run = await runSource(source, selection, context, call.signal)
        const readers = stateReaders(run.selection, states, context)
        return streamed(subscriptions, run.selection, readers, call, free, run)
      } catch (error) {
        free()
        throw error
      }
    },
  }
}

async function narrowed(
  wanted: Selection,
  { watchable, states: sources, isTold }: ListenParts,
  context: FollowerContext,
): Promise<Selection> {
  const states: Record<string, readonly string[]> = {}
  for (const [member, ids] of Object.entries(wanted.states)) {
    if (!isTold(member)) continue
    const allowed = new Set(await sources.get(member)?.narrow(ids, context))
    states[member] = ids.filter((id) => allowed.has(id))
  }
  return { ...watchable(wanted, context.principal), states }
}

/** A bus that cannot be reached is told before the stream begins. */
async function followed(subscriptions: Subscriptions, { log }: Call): Promise<void> {
  try {
    await subscriptions.follow()
  } catch (error) {
    log.error({ err: error }, 'Changes cannot be followed')
    throw new WireError('ERR_INTERNAL', 'Changes cannot be followed now')
  }
}

function stateReaders(
  { states }: Selection,
  sources: ReadonlyMap<string, StateSource>,
  context: FollowerContext,
): ReadonlyMap<string, ReadState> | undefined {
  const readers = Object.entries(states).flatMap(([filter, ids]) =>
    ids.map((id): [string, ReadState] => [
      topicOf({ kind: 'state', filter, id }),
      () => readState(sources.get(filter), id, context),
    ]),
  )
  return readers.length === 0 ? undefined : new Map(readers)
}

async function readState(
  source: StateSource | undefined,
  id: string,
  context: FollowerContext,
): Promise<Notice | undefined> {
  try {
    const state = await source?.state(id, context)
    return source && state && notice(source.notification, state)
  } catch (error) {
    context.log.error({ err: error }, 'The state of a followed id cannot be read')
    throw error
  }
}

function streamed(
  host: Subscriptions,
  selection: Selection,
  states: ReadonlyMap<string, ReadState> | undefined,
  { principal }: Call,
  free: () => void,
  run?: SourceRun,
): StreamedAnswer {
  const topics = topicsOf(selection)
  const first = acknowledgement(writeFilter(selection))
  const stop = () => {
    free()
    run?.stop()
  }
  return new StreamedAnswer((id, outlet) => {
    const subscription = new Subscription({ host, id, outlet, topics, states, principal, stop })
    host.add(subscription)
    subscription.acknowledge(first)
    if (topics.length === 0 || host.isClosed) subscription.end('complete')
    else if (host.isDeaf) subscription.end({ problem: 'Changes may have been missed' })
    for (const topic of states?.keys() ?? []) subscription.tellState(topic)
    run?.feed(subscription, (changed) => tellSelected(subscription, changed))
    return subscription
  })
}

function tellSelected(subscription: Subscription, changed: Changed): void {
  const topic = topicOf(changed)
  if (!subscription.topics.includes(topic))
    throw new TypeError('A source of changes told what was not selected')
  const told = changeNotice(changed)
  if (told === undefined) subscription.tellState(topic)
  else subscription.tell(topic, told)
}
