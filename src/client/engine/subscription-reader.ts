import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { ChannelNotification } from '../channel.js'
import { SubscriptionCancelledError } from '../errors.js'
import { malformed } from '../reading/member.js'
import { readTask } from '../reading/task.js'
import type { SubscriptionEvent, SubscriptionFilter } from '../subscription.js'

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId'

const listChanges = {
  'notifications/tools/list_changed': { kind: 'tools_changed', flag: 'toolsListChanged' },
  'notifications/prompts/list_changed': { kind: 'prompts_changed', flag: 'promptsListChanged' },
  'notifications/resources/list_changed': { kind: 'resources_changed', flag: 'resourcesListChanged' },
} as const

/**
 * Reads the notifications of one subscription: the acknowledgement first and once, then only what it granted. Throws
 * `MalformedResponseError` (MCP 2026-07-28, "Subscriptions", SUB-2 to SUB-4).
 */
export class SubscriptionReader {
  readonly #requested: SubscriptionFilter
  #granted: SubscriptionFilter | undefined

  constructor(requested: SubscriptionFilter) {
    this.#requested = requested
  }

  get isAcknowledged(): boolean {
    return this.#granted !== undefined
  }

  /** The event a notification tells; undefined for what is no part of the subscription. */
  read({ method, params }: ChannelNotification, id: string): SubscriptionEvent | undefined {
    if (method === 'notifications/cancelled') {
      checkNotCancelled(params, id)
      return undefined
    }
    if (!method.startsWith('notifications/')) return undefined
    checkSubscription(params, id)
    if (method === 'notifications/subscriptions/acknowledged') return this.#acknowledged(params)
    const granted = this.#granted
    if (granted === undefined) throw malformed('A change was told before the acknowledgement')
    return readChange(method, params, granted)
  }

  #acknowledged(params: JsonObject): SubscriptionEvent {
    if (this.#granted !== undefined) throw malformed('A subscription was acknowledged twice')
    const granted = readFilter(params['notifications'])
    checkSubset(granted, this.#requested)
    this.#granted = granted
    return { kind: 'acknowledged', filter: granted }
  }
}

function checkNotCancelled({ requestId, reason }: JsonObject, id: string): void {
  if (requestId !== id) return
  throw new SubscriptionCancelledError(typeof reason === 'string' ? reason.slice(0, 512) : undefined)
}

/** Checks that a message belongs to the subscription, whose id keeps its type (SUB-4). */
export function checkSubscription(holder: JsonObject, id: string): void {
  const meta = holder['_meta']
  if (isJsonObject(meta) && meta[subscriptionKey] === id) return
  throw malformed('A message of a subscription does not name it')
}

function readChange(method: string, params: JsonObject, granted: SubscriptionFilter): SubscriptionEvent {
  if (Object.hasOwn(listChanges, method)) {
    const { kind, flag } = listChanges[method as keyof typeof listChanges]
    if (granted[flag] === true) return { kind }
  }
  if (method === 'notifications/resources/updated') {
    const { uri } = params
    if (typeof uri === 'string' && granted.resourceSubscriptions?.some((wanted) => covers(wanted, uri))) {
      return { kind: 'resource_updated', uri }
    }
  }
  if (method === 'notifications/tasks') {
    const task = readTask(params, { form: true, url: true })
    if (granted.taskIds?.includes(task.taskId)) return { kind: 'task_changed', task }
  }
  throw malformed('A change was told that nobody asked for')
}

/** A change may be told of a part of the resource that was asked for (SUB-2, RES-9). */
function covers(wanted: string, uri: string): boolean {
  return (
    uri === wanted ||
    (uri.startsWith(wanted) && (wanted.endsWith('/') || /^[/?#]/.test(uri.slice(wanted.length))))
  )
}

const flags = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const
const lists = ['resourceSubscriptions', 'taskIds'] as const

function readFilter(value: unknown): SubscriptionFilter {
  if (!isJsonObject(value)) throw malformed('An acknowledgement needs `notifications`')
  const filter: Record<string, unknown> = {}
  for (const flag of flags) {
    const wanted = value[flag]
    if (wanted === undefined || wanted === false) continue
    if (wanted !== true) throw malformed(`\`${flag}\` must be true or false`)
    filter[flag] = true
  }
  for (const member of lists) {
    const wanted = value[member]
    if (wanted === undefined) continue
    if (!Array.isArray(wanted) || !wanted.every((one) => typeof one === 'string')) {
      throw malformed(`\`${member}\` must be a list of strings`)
    }
    filter[member] = wanted
  }
  return filter
}

function checkSubset(granted: SubscriptionFilter, requested: SubscriptionFilter): void {
  const wider =
    flags.some((flag) => granted[flag] === true && requested[flag] !== true) ||
    lists.some((member) => granted[member]?.some((one) => requested[member]?.includes(one) !== true))
  if (wider) throw malformed('More was acknowledged than asked for')
}
