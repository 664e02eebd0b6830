import type { Awaitable } from '../contract/access.js'
import type { HandlerContext, RouteValues } from '../contract/context.js'
import type { FollowerContext } from '../contract/extension.js'
import type { TaskToolDefinition } from '../contract/task-tool.js'
import type { ContextOf } from '../contract/access.js'
import type { ToolHandler, ToolReturn } from '../contract/tool.js'
import type { JsonObject } from '../protocol/json.js'
import type { TaskObservation } from './task-observation.js'

/** Who reads, answers or cancels a task; its principal need not be the one that created it. */
export type TaskCaller<D extends TaskToolDefinition> = ContextOf<D>

/**
 * Jobs of a service that keeps them itself.
 *
 * `create` takes the work on durably before it resolves: a `read` right afterwards finds it. It may first ask, as any
 * handler. `read` gives undefined for what is unknown, over, or not the caller's: compare issuer, subject and client of the
 * principal, and `route` if the path of the server has values. `answer` and `cancel` come after such a read, only for a task that has not ended, and confirm the wish;
 * later reads show its effect.
 */
export interface TaskService<D extends TaskToolDefinition> {
  create(input: Parameters<ToolHandler<D>>[0], context: ContextOf<D>): Awaitable<TaskObservation<D>>
  read(taskId: string, context: TaskCaller<D>): Awaitable<TaskObservation<D> | undefined>
  /** Gets answers to open questions only; some may still be missing. */
  answer?(
    taskId: string,
    responses: Readonly<Record<string, JsonObject>>,
    context: TaskCaller<D>,
  ): Awaitable<void>
  cancel?(taskId: string, context: TaskCaller<D>): Awaitable<void>
  /** Answers at once, for clients that cannot follow tasks. Needed when `task` is `optional`. */
  call?(input: Parameters<ToolHandler<D>>[0], context: ContextOf<D>): Awaitable<ToolReturn<D>>
}

/** The same for the framework, which calls it with what it has checked. */
export interface AnyTaskService {
  /** `given` are the arguments as they were sent. */
  create(input: unknown, context: HandlerContext, call: CreatingCall): Awaitable<WireTask>
  read(taskId: string, context: TaskReader): Awaitable<WireTask | undefined>
  answer(
    taskId: string,
    responses: Readonly<Record<string, JsonObject>>,
    context: HandlerContext,
  ): Awaitable<void>
  cancel(taskId: string, context: HandlerContext): Awaitable<void>
}

/** What is known of whoever looks at a task, on a stream too. */
export type TaskReader = FollowerContext

/** What the call of a task tool says besides its input. */
export interface CreatingCall {
  readonly arguments: JsonObject
  readonly capabilities: JsonObject
  readonly givenRoute: RouteValues
}

/** A task as it is told, with the service's own id. */
export interface WireTask {
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  readonly inputRequests?: JsonObject
  readonly [member: string]: unknown
}
