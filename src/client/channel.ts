import type { Awaitable } from '../contract/access.js'
import type { JsonObject } from '../protocol/json.js'

/** A notification that arrived ahead of an answer. */
export interface ChannelNotification {
  readonly method: string
  readonly params: JsonObject
}

/** One JSON-RPC request, complete with its `_meta`. */
export interface ChannelRequest {
  /** Unique among all requests of this channel. */
  readonly id: string
  readonly method: string
  readonly params: JsonObject
  /** The headers that repeat parts of the body, by lower-case name; ignored where messages have none. */
  readonly headers: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Awaited before anything later is looked at; what it throws ends the request. */
  readonly onNotification?: ((notification: ChannelNotification) => Awaitable<void>) | undefined
}

/**
 * Carries single requests to one server: over HTTP, over the pipes of a process, or in this process.
 *
 * A request is sent once. It resolves with the `result` object, unjudged, and rejects with `RpcError` or
 * `HttpResponseError` 400, 401 and 403 (known: it did not run), with the signal's reason or `InternalClientError` when
 * nothing was sent, and with `OutcomeUnknownError` for whatever else happened after it was sent; its `cause` is a
 * `ConnectionLostError` when the answer had begun as an event stream and was cut.
 */
export interface Channel {
  request(request: ChannelRequest): Promise<JsonObject>
  /** Ends the channel; requests under way are lost. Idempotent. */
  close(options?: { readonly signal?: AbortSignal }): Promise<void>
}
