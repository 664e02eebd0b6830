import type { Task } from './task.js'

/** Which changes to follow; what is left out is not followed. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
  readonly taskIds?: readonly string[]
}

/** What a subscription tells: first what is honoured of the filter, then changes; data is read anew by the host. */
export type SubscriptionEvent =
  | { readonly kind: 'acknowledged'; readonly filter: SubscriptionFilter }
  | { readonly kind: 'tools_changed' }
  | { readonly kind: 'prompts_changed' }
  | { readonly kind: 'resources_changed' }
  | { readonly kind: 'resource_updated'; readonly uri: string }
  | { readonly kind: 'task_changed'; readonly task: Task }
