import { randomBytes } from 'node:crypto'
import type { Awaitable, ContextOf } from '../contract/access.js'
import type { HandlerContext } from '../contract/context.js'
import type { TaskToolDefinition } from '../contract/task-tool.js'
import type { ToolHandler } from '../contract/tool.js'
import { DefinitionError } from '../errors.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import type { BoundTool } from '../server/tools.js'
import { atOnce } from './at-once.js'
import type { TaskHandler } from './task-context.js'
import { isOwner, keptPrincipal, readTaskRecord, type TaskRecord } from './task-record.js'
import type { TaskRunner } from './task-runner.js'
import type { AnyTaskService, CreatingCall, TaskReader, WireTask } from './task-service.js'
import { newState, openQuestions } from './task-state.js'
import { taskWork } from './task-work.js'

export interface EngineOptions<D extends TaskToolDefinition, Prepared> {
  /**
   * Runs in the call, before there is a task: may ask as any handler, and refuse. What it returns, a JSON value, is
   * `ctx.prepared` of the handler.
   */
  readonly prepare?: (input: Parameters<ToolHandler<D>>[0], context: ContextOf<D>) => Awaitable<Prepared>
  /**
   * What happens when the worker of a task was lost: `restart` runs the handler from its beginning, with the answers
   * already given, 10 times at most; `fail` ends the task. Left out, tools with `idempotentHint` or `readOnlyHint` restart.
   */
  readonly onStalled?: 'restart' | 'fail'
}

type Loose = EngineOptions<TaskToolDefinition, unknown>

/** A service over a runner, and the way to do the work at once. */
export function engineService(
  definition: TaskToolDefinition,
  runner: TaskRunner,
  handler: TaskHandler<TaskToolDefinition, unknown>,
  options: Loose,
): { service: AnyTaskService; call: BoundTool['handler'] } {
  const { idempotentHint, readOnlyHint } = definition.annotations ?? {}
  const { onStalled = idempotentHint === true || readOnlyHint === true ? 'restart' : 'fail' } = options
  if (!['restart', 'fail'].includes(onStalled)) {
    throw new DefinitionError("`onStalled` must be 'restart' or 'fail'", 'ERR_OPTION')
  }
  const prepare = (input: unknown, context: HandlerContext) =>
    options.prepare?.(input as Record<string, never>, context as never)
  runner.bind(definition.name, taskWork(definition, handler, onStalled))
  return {
    service: {
      async create(input, context, call) {
        const record = newRecord(definition, runner, context, call, await prepare(input, context))
        await runner.submit(record, context.log)
        return wire(record, runner)
      },
      async read(taskId, context) {
        const record = await readOwn(runner, taskId, context, definition)
        return record && wire(record, runner)
      },
      async answer(taskId, answers) {
        await runner.records.update(taskId, { do: 'answer', answers })
      },
      async cancel(taskId) {
        await runner.records.update(taskId, { do: 'cancel' })
      },
    },
    async call(input, context) {
      const contexts = atOnce(context)
      const prepared = await prepare(input, contexts.prepare)
      return handler(input as Record<string, never>, contexts.handler(prepared) as never)
    },
  }
}

function newRecord(
  { name }: TaskToolDefinition,
  { ttlMs }: TaskRunner,
  { principal, route, protocol }: HandlerContext,
  { arguments: args, capabilities, givenRoute }: CreatingCall,
  prepared: unknown,
): TaskRecord {
  const { elicitation } = capabilities
  const now = Date.now()
  const record: TaskRecord = {
    version: 1,
    id: randomBytes(18).toString('base64url'),
    tool: name,
    ...(principal !== undefined && { principal: keptPrincipal(principal) }),
    route,
    givenRoute,
    arguments: args,
    ...(prepared !== undefined && { prepared }),
    capabilities: isJsonObject(elicitation) ? { elicitation } : {},
    protocol,
    createdAt: now,
    updatedAt: now,
    ttlMs,
    state: newState,
  }
  return readTaskRecord(JSON.stringify(record))
}

/** A task of this tool that this caller created; any other is as unknown as one that never was. */
async function readOwn(
  runner: TaskRunner,
  taskId: string,
  context: TaskReader,
  { name }: TaskToolDefinition,
): Promise<TaskRecord | undefined> {
  if (!/^[\w-]{24}$/.test(taskId)) return undefined
  const record = await runner.records.read(taskId)
  return record?.tool === name && isOwner(record, context) ? record : undefined
}

function wire(record: TaskRecord, { pollIntervalMs }: TaskRunner): WireTask {
  const { id, createdAt, updatedAt, ttlMs, state } = record
  const facts = {
    taskId: id,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  }
  switch (state.phase) {
    case 'open': {
      const message = state.message === undefined ? {} : { statusMessage: state.message }
      const questions = Object.entries(openQuestions(state))
      if (questions.length === 0) return { ...facts, status: 'working', ...message }
      const inputRequests: JsonObject = Object.fromEntries(
        questions.map(([key, { request }]) => [key, request]),
      )
      return { ...facts, status: 'input_required', ...message, inputRequests }
    }
    case 'completed':
      return { ...facts, status: 'completed', result: state.result }
    case 'failed':
      return { ...facts, status: 'failed', statusMessage: state.error.message, error: state.error }
    case 'cancelled':
      return { ...facts, status: 'cancelled' }
  }
}
