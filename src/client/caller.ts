import type { Awaitable } from '../contract/access.js'
import type { ToolAnnotations } from '../contract/presentation.js'
import type { JsonObject } from '../protocol/json.js'
import type { MirroredParameter } from '../protocol/mirrored-parameters.js'
import type { CompletedCall } from './completed-call.js'
import type { InputRequest, InputResponse } from './input.js'
import type { SubscriptionEvent, SubscriptionFilter } from './subscription.js'
import type { Task } from './task.js'

/** Where a caller is: the progress of one call, in order, always growing. */
export interface ProgressUpdate {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** What may accompany every request. Deadlines are signals: `AbortSignal.timeout(10_000)`. */
export interface RequestOptions {
  readonly signal?: AbortSignal
  /** Awaited in order; what it throws stops the call, whose outcome is then unknown. */
  readonly onProgress?: (update: ProgressUpdate) => Awaitable<void>
  /**
   * `false`: this request cannot ask anybody, so the server is told so and an unfinished answer is malformed.
   * `'automatic'`: only what the caller's own `onInput` answers may be asked, since an unfinished answer is of no use.
   */
  readonly hostInput?: false | 'automatic'
}

/** Options of `request`, for methods of extensions as well. */
export interface MethodOptions extends RequestOptions {
  /** What the request is about, repeated in `Mcp-Name`; methods of the protocol need no telling. */
  readonly target?: string
}

/** What a host knows of a tool itself, so that a caller need not read the server's list. */
export interface KnownTool {
  /** The parameters to repeat in headers. */
  readonly parameters: readonly MirroredParameter[]
  readonly annotations?: ToolAnnotations | undefined
}

export interface ToolCallOptions extends RequestOptions {
  /** Lets the server answer with a task; only for hosts that keep and observe it. */
  readonly taskSupport?: boolean
  /** Spares the look-up: arguments and structured content are then the host's to check. */
  readonly known?: KnownTool
}

/** What a server wants back when a call goes on after questions. */
export interface Continuation {
  /** Echoed byte for byte; absent when the server sent none. */
  readonly requestState?: string
  /** Answers of this round only, by the server's keys. */
  readonly inputResponses?: Readonly<Record<string, InputResponse>>
}

export interface CallRequest {
  readonly tool: string
  readonly arguments?: JsonObject
  readonly continuation?: Continuation
}

/** An unfinished call: the host answers the requests and calls again with a continuation. */
export interface InputRequiredCall {
  readonly status: 'input_required'
  readonly requests: Readonly<Record<string, InputRequest>>
  readonly requestState?: string
}

/** A call that became a task, observed with `getTask`. */
export interface TaskCall {
  readonly status: 'task'
  readonly task: Task
}

export type CallResponse = CompletedCall | InputRequiredCall | TaskCall

/** What an agent needs of a server; enough to write a caller of one's own. */
export interface Caller {
  /** Runs a tool once. An `isError` answer is an ordinary response. */
  callTool(request: CallRequest, options?: ToolCallOptions): Promise<CallResponse>
  getTask(taskId: string, options?: RequestOptions): Promise<Task>
  /** Confirms that answers were taken; later reads show their effect. */
  updateTask(
    taskId: string,
    responses: Readonly<Record<string, InputResponse>>,
    options?: RequestOptions,
  ): Promise<void>
  /** Confirms the wish to cancel; later reads show its effect. */
  cancelTask(taskId: string, options?: RequestOptions): Promise<void>
}

export interface ListenOptions {
  readonly signal?: AbortSignal
  /** Awaited in order; what it throws ends the subscription. */
  readonly onEvent: (event: SubscriptionEvent) => Awaitable<void>
}

/** A caller of everything a server offers. */
export interface McpCaller extends Caller, AsyncDisposable {
  /** Sends any method with its parameters and resolves with the checked result; `_meta` and headers are added here. */
  request(method: string, params?: JsonObject, options?: MethodOptions): Promise<JsonObject>
  /**
   * Follows changes until the server ends the subscription (resolves), the signal aborts or the connection is lost
   * (rejects with `ConnectionLostError`); nothing reconnects.
   */
  listen(filter: SubscriptionFilter, options: ListenOptions): Promise<void>
  /** The same as a loop: `for await (const event of caller.subscribe(filter))`. */
  subscribe(
    filter: SubscriptionFilter,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<SubscriptionEvent>
  close(options?: { readonly signal?: AbortSignal }): Promise<void>
}
