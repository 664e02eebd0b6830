import assert from 'node:assert/strict'
import type { Caller } from '../client/caller.js'
import { OutcomeUnknownError, RpcError } from '../client/errors.js'
import type { InputResponse } from '../client/input.js'
import type { JsonObject } from '../protocol/json.js'
import { answered, expectMalformed, onlyParams, rejection, type CheckDefinition } from './caller-check.js'

const taskId = 'task-\u00fc/1'
const facts = {
  taskId,
  createdAt: '2026-08-22T09:00:00Z',
  lastUpdatedAt: '2026-08-22T09:00:01Z',
  ttlMs: 60_000,
}
const form = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } },
}
const content = [{ type: 'text', text: 'done' }]
const responses: Record<string, InputResponse> = {
  '': { action: 'accept', content: { ok: true } },
  ' B ': { action: 'cancel' },
}

function reads(what: string, members: JsonObject, read: JsonObject = members): CheckDefinition {
  return {
    name: `getTask reads ${what} (G-144)`,
    script: { 'tasks/get': answered({ ...facts, ...members }) },
    async check(caller, seen) {
      const task: unknown = JSON.parse(JSON.stringify(await caller.getTask(taskId)))
      assert.deepEqual(task, { ...facts, ...read })
      assert.deepEqual(onlyParams(seen, 'tasks/get'), { taskId })
    },
  }
}

const reading: readonly CheckDefinition[] = [
  reads('a task at work', { status: 'working', pollIntervalMs: 500, statusMessage: 'Half' }),
  reads('a task that is kept for ever', { status: 'working', ttlMs: null }),
  reads(
    'the questions of a task',
    { status: 'input_required', inputRequests: { '': form } },
    { status: 'input_required', requests: { '': form } },
  ),
  reads(
    'the result of a task',
    { status: 'completed', result: { content, structuredContent: null, isError: true } },
    { status: 'completed', result: { status: 'complete', content, structuredContent: null, isError: true } },
  ),
  reads('the error of a task', { status: 'failed', error: { code: -32000, message: 'No', data: null } }),
  reads('a cancelled task', { status: 'cancelled' }),
  {
    name: 'getTask refuses an answer about another task (G-148)',
    script: { 'tasks/get': answered({ ...facts, taskId: 'task-2', status: 'working' }) },
    check: (caller) => expectMalformed(caller.getTask(taskId)),
  },
  {
    name: 'getTask refuses an unknown status',
    script: { 'tasks/get': answered({ ...facts, status: 'dreaming' }) },
    check: (caller) => expectMalformed(caller.getTask(taskId)),
  },
]

async function expectNothing(promise: Promise<unknown>): Promise<void> {
  assert.equal(await promise, undefined)
}

const acknowledged: readonly CheckDefinition[] = [
  {
    name: 'updateTask sends the answers as they are and gives nothing back (G-145)',
    script: { 'tasks/update': answered({}) },
    async check(caller, seen) {
      await expectNothing(caller.updateTask(taskId, responses))
      assert.deepEqual(onlyParams(seen, 'tasks/update'), { taskId, inputResponses: responses })
    },
  },
  {
    name: 'updateTask sends no answers at all when there are none (G-145)',
    script: { 'tasks/update': answered({}) },
    async check(caller, seen) {
      await caller.updateTask(taskId, {})
      assert.deepEqual(onlyParams(seen, 'tasks/update'), { taskId, inputResponses: {} })
    },
  },
  {
    name: 'cancelTask sends the wish and gives nothing back (G-145)',
    script: { 'tasks/cancel': answered({}) },
    async check(caller, seen) {
      await expectNothing(caller.cancelTask(taskId))
      assert.deepEqual(onlyParams(seen, 'tasks/cancel'), { taskId })
    },
  },
]

const methods: readonly (readonly [
  string,
  string,
  (caller: Caller, signal?: AbortSignal) => Promise<unknown>,
])[] = [
  ['getTask', 'tasks/get', (caller, signal) => caller.getTask(taskId, options(signal))],
  ['updateTask', 'tasks/update', (caller, signal) => caller.updateTask(taskId, responses, options(signal))],
  ['cancelTask', 'tasks/cancel', (caller, signal) => caller.cancelTask(taskId, options(signal))],
]

function options(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal }
}

const failing = methods.flatMap(([name, method, act]): CheckDefinition[] => [
  {
    name: `${name} rejects with the server’s error (G-74)`,
    script: { [method]: { error: { code: -32602, message: 'No such task', data: { taskId } } } },
    async check(caller) {
      const error = await rejection(act(caller))
      assert.ok(error instanceof RpcError)
      assert.deepEqual([error.rpc, error.message, error.data], [-32602, 'No such task', { taskId }])
    },
  },
  {
    name: `${name} sends nothing when the signal is aborted, and rejects with its reason (G-101)`,
    script: { [method]: answered({}) },
    async check(caller, seen) {
      const reason = new Error('stopped')
      assert.equal(await rejection(act(caller, AbortSignal.abort(reason))), reason)
      assert.deepEqual(seen, [])
    },
  },
  {
    name: `${name} sends once and says the outcome is unknown when the answer is lost (G-102)`,
    script: { [method]: { lost: true } },
    async check(caller, seen) {
      assert.ok((await rejection(act(caller))) instanceof OutcomeUnknownError)
      assert.equal(seen.length, 1)
    },
  },
])

/** What the three methods for tasks promise. */
export const taskChecks: readonly CheckDefinition[] = [...reading, ...acknowledged, ...failing]
