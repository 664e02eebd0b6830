import type { TaskToolDefinition } from '../contract/task-tool.js'
import { DefinitionError } from '../errors.js'
import type { BoundTool } from '../server/tools.js'
import { engineService, type EngineOptions } from './engine-service.js'
import { ownService } from './own-service.js'
import type { TaskHandler } from './task-context.js'
import type { TaskRunner } from './task-runner.js'
import type { AnyTaskService, TaskService } from './task-service.js'
import { publicId } from './task-id.js'
import { extensionId, tasksExtension, type TaskDeferral } from './tasks-extension.js'

/**
 * Binds a task tool: to a service that keeps its jobs itself, or to a handler that a runner has run to its end.
 *
 * The server offers the extension as soon as one of its tools is such a tool. Throws `ERR_DEFINITION` and `ERR_OPTION`
 * (MCP extension `io.modelcontextprotocol/tasks`).
 */
export function handleTask<D extends TaskToolDefinition>(definition: D, service: TaskService<D>): BoundTool
export function handleTask<D extends TaskToolDefinition, Prepared = undefined>(
  definition: D,
  runner: TaskRunner,
  handler: TaskHandler<D, Prepared>,
  options?: EngineOptions<D, Prepared>,
): BoundTool
export function handleTask(
  definition: TaskToolDefinition,
  jobs: TaskRunner | TaskService<TaskToolDefinition>,
  handler?: TaskHandler<TaskToolDefinition, unknown>,
  options: EngineOptions<TaskToolDefinition, unknown> = {},
): BoundTool {
  const where = `tool ${JSON.stringify(definition.name)}`
  if ('submit' in jobs) {
    if (typeof handler !== 'function')
      throw new DefinitionError(`${where}: a runner needs a handler`, 'ERR_OPTION')
    const { service, call } = engineService(definition, jobs, handler, options)
    return bound(definition, service, call)
  }
  if (definition.task === 'optional' && jobs.call === undefined) {
    throw new DefinitionError(`${where}: an optional task needs \`call\`, for clients that cannot follow it`)
  }
  return bound(definition, ownService(definition, jobs), (input, context) =>
    jobs.call?.(input as Record<string, never>, context as never),
  )
}

function bound(
  definition: TaskToolDefinition,
  service: AnyTaskService,
  call: BoundTool['handler'],
): BoundTool {
  const deferral: TaskDeferral = {
    extension: extensionId,
    required: definition.task === 'required',
    join: tasksExtension,
    service,
    async begin(input, context, given) {
      const task = await service.create(input, context, given)
      const later = { inputRequests: undefined, result: undefined, error: undefined }
      return { ...task, ...later, taskId: publicId(definition.name, task.taskId) }
    },
  }
  return Object.freeze({ definition, handler: call, completers: new Map(), deferral })
}
