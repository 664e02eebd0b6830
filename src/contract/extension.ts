import type { WireError } from '../errors.js'
import type { ScopeRule } from '../oauth/scope.js'
import type { JsonObject } from '../protocol/json.js'
import type { Awaitable } from './access.js'
import type { HandlerContext, RouteValues } from './context.js'
import type { StringValues } from './schema/json-schema.js'

/** Where a call came in, besides what a schema made of it. */
interface Arrival {
  /** The values in the URL as they were sent. */
  readonly givenRoute: RouteValues
}

/** A method an extension adds; clients must declare the extension to call it. */
export interface ExtensionMethod {
  /** The parameter that the `Mcp-Name` header repeats. */
  readonly nameParameter?: string
  /** Needed to call it, whatever it is about or for what the parameters name; left out, the server's `basicScopes`. */
  readonly scopes?: ScopeRule | ((params: JsonObject) => ScopeRule | undefined)
  /** What callers are told that must not learn of what they named, with `hideUnauthorized`. */
  readonly unknown?: (params: JsonObject) => WireError
  /** Checks the values in the URL for what the parameters name; the context has what it made of them. */
  readonly route?: (params: JsonObject) => StringValues | undefined
  /** Answers with the members of the result. */
  run(params: JsonObject, context: HandlerContext & Arrival): Awaitable<Readonly<Record<string, unknown>>>
}

/** Who follows changes of an extension. */
export type FollowerContext = Pick<HandlerContext, 'principal' | 'log' | 'route'> & Arrival

/**
 * What an extension puts on listen streams: the state of things it has ids for, whenever
 * `changes.stateChanged(filter, id)` tells that one changed. Clients must declare the extension to name ids (MCP
 * 2026-07-28, "Subscriptions").
 */
export interface ExtensionSubscription {
  /** The member of the filter that lists ids, such as `taskIds`. */
  readonly filter: string
  /** The notification that tells a state, such as `notifications/tasks`. */
  readonly notification: string
  /**
   * Those of the ids that this caller may follow; asked before the acknowledgement, which leaves the others out as if
   * they did not exist.
   */
  narrow(ids: readonly string[], context: FollowerContext): Awaitable<readonly string[]>
  /**
   * The parameters of the notification: the whole state as it is now, or undefined when there is nothing to tell.
   * Asked once after the acknowledgement and after each change, several at once counting as one.
   */
  state(id: string, context: FollowerContext): Awaitable<JsonObject | undefined>
}

/** A protocol extension: its identifier, its settings and its methods (MCP 2026-07-28, versioning, "Extensions"). */
export interface Extension {
  /** With a reverse-DNS prefix, such as `com.example/reports`. */
  readonly id: string
  /** Sent in `capabilities.extensions`; `{}` when left out. */
  readonly settings?: JsonObject
  readonly methods?: Readonly<Record<string, ExtensionMethod>>
  readonly subscription?: ExtensionSubscription
}
