import type { Awaitable, PrincipalOf } from '../contract/access.js'
import type { HandlerContext } from '../contract/context.js'
import type { InputOfHandler } from '../contract/input/inputs.js'
import type { TaskInputs, TaskToolDefinition } from '../contract/task-tool.js'
import type { ToolHandler, ToolReturn } from '../contract/tool.js'

/** `ctx.input` of a task: a question waits until the client has answered it, also across a restart of the work. */
export type TaskInput<Declared extends TaskInputs> = Omit<InputOfHandler<Declared>, 'state'>

type RouteOf<D extends TaskToolDefinition> = Parameters<ToolHandler<D>>[1]['route']

/**
 * What the handler of a task gets besides its input. It may run in another process than the one that was asked, so
 * the principal is the one that created the task, without a token, and may have lost rights since.
 *
 * `signal` aborts when the task was cancelled, its time is over, the process stops, or the work was given to another
 * worker. `progress` becomes the status message of the task.
 */
export interface TaskContext<D extends TaskToolDefinition, Prepared = undefined> extends HandlerContext<
  PrincipalOf<D>,
  RouteOf<D>,
  D['inputs'] extends TaskInputs ? TaskInput<D['inputs']> : undefined
> {
  /** What `prepare` gave. */
  readonly prepared: Prepared
}

/** Does all the work of a task; what it returns becomes the result. */
export type TaskHandler<D extends TaskToolDefinition, Prepared = undefined> = (
  input: Parameters<ToolHandler<D>>[0],
  context: TaskContext<D, Prepared>,
) => Awaitable<ToolReturn<D>>
