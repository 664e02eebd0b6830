import type { TaskToolDefinition } from '../contract/task-tool.js'
import type { TaskObservation } from './task-observation.js'
import { taskResult } from './task-result.js'
import type { AnyTaskService, TaskService, WireTask } from './task-service.js'

/** A service that keeps its jobs itself, as the framework calls it. */
export function ownService<D extends TaskToolDefinition>(
  definition: D,
  service: TaskService<D>,
): AnyTaskService {
  const own = service as unknown as Loose
  return {
    create: async (input, context) => wire(definition, await own.create(input, context)),
    async read(taskId, context) {
      const observation = await own.read(taskId, context)
      return observation && wire(definition, observation)
    },
    answer: async (taskId, responses, context) => own.answer?.(taskId, responses, context),
    cancel: async (taskId, context) => own.cancel?.(taskId, context),
  }
}

/** A service without the types of its definition. */
interface Loose {
  create(input: unknown, context: unknown): Promise<TaskObservation>
  read(taskId: string, context: unknown): Promise<TaskObservation | undefined>
  answer?(taskId: string, responses: object, context: unknown): Promise<void>
  cancel?(taskId: string, context: unknown): Promise<void>
}

async function wire(definition: TaskToolDefinition, observation: TaskObservation): Promise<WireTask> {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = observation
  if (typeof taskId !== 'string' || taskId === '') throw new TypeError('A task needs a `taskId`')
  const facts = { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
  switch (observation.status) {
    case 'working':
    case 'cancelled':
      return facts
    case 'input_required':
      return { ...facts, inputRequests: observation.requests }
    case 'completed':
      return { ...facts, result: await taskResult(definition, observation.result) }
    case 'failed':
      return { ...facts, error: observation.error }
  }
}
