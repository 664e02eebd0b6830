import type { RouteValues } from '../contract/context.js'
import type { Extension, ExtensionMethod, FollowerContext } from '../contract/extension.js'
import type { ToolDefinition } from '../contract/tool.js'
import { WireError } from '../errors.js'
import { satisfies, scopeAlternatives } from '../oauth/scope.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import type { Deferral, OfferedTool } from '../server/deferral.js'
import { publicId, readPublicId } from './task-id.js'
import type { AnyTaskService, WireTask } from './task-service.js'

export const extensionId = 'io.modelcontextprotocol/tasks'

/** Tasks of one filter read at a time: each comes with its result, however large. */
const readAtOnce = 8

/** What takes over the calls of a task tool. */
export interface TaskDeferral extends Deferral {
  readonly service: AnyTaskService
}

interface Place {
  readonly definition: ToolDefinition
  readonly service: AnyTaskService
  /** The service's own id. */
  readonly id: string
}

/**
 * The extension `io.modelcontextprotocol/tasks` over the task tools of a server. Whoever did not create a task learns
 * nothing of it; the scopes of the tool are needed for its tasks too. There are no `tasks/list` and `tasks/result`.
 */
export function tasksExtension(tools: readonly OfferedTool[]): Extension {
  const known = new Map(tools.map((tool) => [tool.definition.name, tool]))
  const find = (taskId: unknown): Place | undefined => {
    const named = readPublicId(taskId)
    const tool = named && known.get(named.tool)
    if (tool?.deferral?.join !== tasksExtension) return undefined
    const { service } = tool.deferral as TaskDeferral
    return { definition: tool.definition, service, id: named?.id ?? '' }
  }
  const method = (
    run: (
      task: WireTask,
      place: Place,
      params: JsonObject,
      context: Parameters<ExtensionMethod['run']>[1],
    ) => unknown,
  ): ExtensionMethod => ({
    nameParameter: 'taskId',
    scopes: ({ taskId }) => find(taskId)?.definition.scopes,
    unknown: unknownTask,
    route: ({ taskId }) => find(taskId)?.definition.routeValues,
    async run(params, context) {
      const place = find(params['taskId'])
      const task = place && (await place.service.read(place.id, context))
      if (task === undefined) throw unknownTask(params)
      return (await run(task, place as Place, params, context)) as JsonObject
    },
  })
  return {
    id: extensionId,
    methods: {
      'tasks/get': method((task, { definition }) => told(definition, task)),
      'tasks/update': method((task, place, params, context) => answer(task, place, params, context)),
      'tasks/cancel': method(async (task, { service, id }, _params, context) => {
        if (isOpen(task)) await service.cancel(id, context)
        return {}
      }),
    },
    subscription: {
      filter: 'taskIds',
      notification: 'notifications/tasks',
      async narrow(ids, context) {
        const mine: string[] = []
        for (let at = 0; at < ids.length; at += readAtOnce) {
          const some = ids.slice(at, at + readAtOnce)
          const isMine = await Promise.all(
            some.map(async (id) => (await followed(find(id), context)) !== undefined),
          )
          mine.push(...some.filter((_id, index) => isMine[index]))
        }
        return mine
      },
      state: (id, context) => followed(find(id), context),
    },
  }
}

async function answer(
  task: WireTask,
  { service, id }: Place,
  { inputResponses }: JsonObject,
  context: Parameters<ExtensionMethod['run']>[1],
): Promise<JsonObject> {
  if (!isJsonObject(inputResponses)) throw new WireError('ERR_PARAMS', '`inputResponses` must be an object')
  const open = isOpen(task) ? (task.inputRequests ?? {}) : {}
  const responses = Object.entries(inputResponses).filter(([key]) => Object.hasOwn(open, key))
  const answers = Object.fromEntries(responses.map(([key, response]) => [key, readResponse(key, response)]))
  if (responses.length > 0) await service.answer(id, answers, context)
  return {}
}

const actions = new Set<unknown>(['accept', 'decline', 'cancel'])

function readResponse(key: string, response: unknown): JsonObject {
  if (isJsonObject(response) && actions.has(response['action'])) {
    const { content } = response
    if (content === undefined || isJsonObject(content)) return response
  }
  throw new WireError('ERR_PARAMS', `\`inputResponses.${key}\` is not an answer to what was asked`)
}

/** A task as it is told to somebody who may follow it. */
async function followed(place: Place | undefined, context: FollowerContext): Promise<JsonObject | undefined> {
  if (place === undefined || !mayFollow(place.definition, context)) return undefined
  const { routeValues } = place.definition
  const checked =
    routeValues === undefined
      ? ({ ok: true, value: context.route } as const)
      : await routeValues.parse(context.route)
  if (!checked.ok) return undefined
  const task = await place.service.read(place.id, { ...context, route: checked.value as RouteValues })
  return task && told(place.definition, task)
}

function mayFollow({ name, scopes }: ToolDefinition, { principal }: FollowerContext): boolean {
  if (scopes === undefined) return true
  return (
    principal !== undefined && satisfies(principal.scopes, scopeAlternatives(`scopes of ${name}`, scopes))
  )
}

function told({ name }: ToolDefinition, task: WireTask): WireTask {
  return { ...task, taskId: publicId(name, task.taskId) }
}

function isOpen({ status }: WireTask): boolean {
  return status === 'working' || status === 'input_required'
}

function unknownTask({ taskId }: JsonObject): WireError {
  return typeof taskId === 'string'
    ? new WireError('ERR_TARGET', 'Unknown task')
    : new WireError('ERR_PARAMS', '`taskId` must be a string')
}
