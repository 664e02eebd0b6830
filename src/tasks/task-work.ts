import type { TaskToolDefinition } from '../contract/task-tool.js'
import { ToolError, WireError } from '../errors.js'
import type { JsonObject } from '../protocol/json.js'
import type { TaskHandler } from './task-context.js'
import { taskInput } from './task-questions.js'
import { taskResult } from './task-result.js'
import { TaskRun } from './task-run.js'
import type { TaskWork } from './task-runner.js'
import type { TaskFailure } from './task-state.js'

/** Runs of one task, the first included, before it is given up. */
const mostRuns = 10

const internal: TaskFailure = { code: -32603, message: 'Internal error' }

/** The work of a tool: its handler, whose outcome is saved as the task's. */
export function taskWork(
  definition: TaskToolDefinition,
  handler: TaskHandler<TaskToolDefinition, unknown>,
  onStalled: 'restart' | 'fail',
): TaskWork {
  return async (task, scene) => {
    const run = new TaskRun(task, scene)
    const runs = await run.begin()
    if (runs === undefined) return
    try {
      if (runs > (onStalled === 'restart' ? mostRuns : 1)) {
        await fail(run, { code: -32603, message: 'The worker was lost before the work was done' })
        return
      }
      const result = await worked(definition, handler, run)
      await run.save({ do: 'complete', run: run.id, result })
    } catch (error) {
      if (!run.isStopped) await failed(run, error)
      else if (onStalled === 'fail') {
        await fail(run, { code: -32603, message: 'The server stopped before the work was done' })
      }
    } finally {
      run.end()
    }
  }
}

async function worked(
  definition: TaskToolDefinition,
  handler: TaskHandler<TaskToolDefinition, unknown>,
  run: TaskRun,
): Promise<JsonObject> {
  const { principal, route, protocol, prepared, arguments: args } = run.task
  const parsed = await definition.compiled.input.parse(args)
  if (!parsed.ok) return taskResult(definition, new ToolError(`Invalid arguments: ${parsed.issues}`))
  const { signal, log, progress } = run
  const input = taskInput(definition, run)
  const context = { principal, signal, log, route, protocol, progress, input, prepared }
  try {
    return await taskResult(
      definition,
      await handler(parsed.value as Record<string, never>, context as never),
    )
  } catch (error) {
    if (error instanceof ToolError) return taskResult(definition, error)
    throw error
  }
}

/** JSON-RPC errors thrown on purpose are told; anything else is logged and masked. */
async function failed(run: TaskRun, error: unknown): Promise<void> {
  if (run.isWanted) await fail(run, failureOf(error, run))
}

/** Anything can be thrown, even what cannot be looked at or logged. */
function failureOf(error: unknown, { log, task: { tool } }: TaskRun): TaskFailure {
  try {
    if (error instanceof WireError) {
      const { rpc: code, message, data } = error
      return JSON.parse(JSON.stringify({ code, message, data })) as TaskFailure
    }
    log.error({ err: error, tool }, 'The work of a task failed')
  } catch {
    log.error({ tool }, 'The work of a task failed with something that cannot be logged')
  }
  return internal
}

function fail(run: TaskRun, error: TaskFailure): Promise<void> {
  return run.save({ do: 'fail', run: run.id, error })
}
