import { expect, test, vi } from 'vitest'
import type { TaskRecord } from '../../src/tasks/task-record.js'
import { newState } from '../../src/tasks/task-state.js'
import { taskWork } from '../../src/tasks/task-work.js'
import { silent } from '../server/harness.js'
import { forever } from './tools.js'

test('a process that stops begins no work, so that it costs no run of the task', async () => {
  const handler = vi.fn()
  const update = vi.fn()
  const task: TaskRecord = {
    version: 1,
    ...{ id: 'a', tool: forever.name, route: {}, givenRoute: {}, arguments: {}, capabilities: {} },
    ...{
      protocol: '2026-07-28',
      createdAt: Date.now(),
      updatedAt: Date.now(),
      ttlMs: 60_000,
      state: newState,
    },
  }
  const records = { update, create: vi.fn(), read: vi.fn(), watch: vi.fn() }
  const scene = { records, log: silent, stopping: AbortSignal.abort() }
  await taskWork(forever, handler, 'restart')(task, scene)
  expect(update).not.toHaveBeenCalled()
  expect(handler).not.toHaveBeenCalled()
})
