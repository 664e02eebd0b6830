export { mcp as default, mcp } from './plugin.js'
export type { McpOptions } from './plugin.js'
export { protect } from './protect.js'
export type { ProtectOptions } from './protect.js'
export type { Audit, AuditEvent, AuditReason } from './audit.js'
export { clientMetadata } from './client-metadata.js'
export { protectedResourceMetadata } from './metadata-route.js'
export type { MetadataOptions } from './metadata-route.js'
export { routeCollector } from './route-tool/route-collector.js'
export { routeTool, routeTools } from './route-tool/route-tool.js'
export type {
  RouteCandidate,
  RouteSelection,
  RouteToolOptions,
  RouteToolsOptions,
} from './route-tool/route-tool.js'
export type { ArgumentNames } from './route-tool/route-input.js'
export { handle } from '../server/handle.js'
export type { Bound, HandlerOf } from '../server/handle.js'
export { handleFor } from './handle-for.js'
export type { HandleFor } from './handle-for.js'
export type { Around, PendingCall } from '../server/handler.js'
export type { InputStateOptions } from '../server/input/state-seal.js'
export type {
  CallerCatalogs,
  CatalogPosition,
  ListedResource,
  NamedPage,
  ResourcePage,
  TemplatePage,
} from '../server/caller-catalog.js'
export { memoryChanges } from '../server/changes/memory-changes.js'
export type { ChangeAudience, Changes, Follower } from '../server/changes/changes.js'
export type { Change, Changed, Identity } from '../server/changes/change.js'
export type { ListenLimits } from '../server/subscriptions/listen-limits.js'
export { redisChanges } from '../server/changes/redis-changes.js'
export type { RedisChangesOptions } from '../server/changes/redis-changes.js'
export type { RedisClient, RedisSubscriber } from '../server/changes/redis-subscription.js'
export { subscriptionSource } from '../server/subscriptions/source.js'
export type {
  FollowSelection,
  SourceContext,
  SourceEvent,
  SourceKinds,
  SubscriptionSource,
} from '../server/subscriptions/source.js'
export type { ListKind, Selection } from '../server/subscriptions/filter.js'
