import { describe, expect, test } from 'vitest'
import { InvalidAnswersError, resumeCall, resumeTask } from '../../src/agent/index.js'
import type { SuspendedCall, ToolOutcome } from '../../src/agent/index.js'
import {
  ConnectionLostError,
  HttpResponseError,
  InternalClientError,
  MalformedResponseError,
  OutcomeUnknownError,
  RpcError,
} from '../../src/client/errors.js'
import type { InputResponse } from '../../src/client/input.js'
import type { Task } from '../../src/client/task.js'
import { complete, form, task, type Script, type Scripted } from './scripted-caller.js'
import { countedPause, suspend, world } from './world.js'

const working = (pollIntervalMs?: number) =>
  task({ status: 'working' }, pollIntervalMs === undefined ? {} : { pollIntervalMs })
const finished = task({ status: 'completed', result: complete({ id: 'n1' }) })
const asks = (...keys: string[]) =>
  task({
    status: 'input_required',
    requests: Object.fromEntries(keys.map((key) => [key, form({ ok: { type: 'boolean' } })])),
  })
const lost = { throws: new OutcomeUnknownError(new Error('cut')) }
const yes: InputResponse = { action: 'accept', content: { ok: true } }
const failedFor = (kind: string) => ({ status: 'failed', failure: { kind, recovery: { action: 'finish' } } })

async function taskWorld(script: Omit<Script, 'calls'>, first: Task = working(700)) {
  const made = await world({ calls: [{ status: 'task', task: first }], ...script })
  const suspended = await suspend(made)
  const { pause, waited } = countedPause()
  return { ...made, suspended, waited, options: { store: made.store, pause } }
}

function recordOf(outcome: ToolOutcome): SuspendedCall {
  if (outcome.status !== 'suspended') throw new Error(JSON.stringify(outcome))
  return outcome.suspended
}

describe('§5.4 observing a task', () => {
  test('G-149: reads until it is done, waiting as long as it was last told; its creator is not run again', async () => {
    const { toolset, suspended, options, waited, caller } = await taskWorld({
      tasks: [working(900), working(), finished],
    })
    expect(await resumeTask(toolset, suspended, {}, options)).toMatchObject({
      status: 'ok',
      value: { id: 'n1' },
    })
    expect(waited).toEqual([900, 1000])
    expect(caller.reads).toEqual(['task-1', 'task-1', 'task-1'])
    expect(caller.calls).toHaveLength(1)
  })

  test.each([
    [-1, 100],
    [NaN, 1000],
    [1e12, 3_600_000],
  ])('a hint of %d waits %d', async (hint, wait) => {
    const { toolset, suspended, options, waited } = await taskWorld({ tasks: [working(hint), finished] })
    await resumeTask(toolset, suspended, {}, options)
    expect(waited).toEqual([wait])
  })

  test.each<[string, Scripted<Task>]>([
    ['an unknown outcome', lost],
    ['a lost connection', { throws: new ConnectionLostError() }],
    ['HTTP 503', { throws: new HttpResponseError(503) }],
    ['an internal error of the server', { throws: new RpcError(-32603, 'x') }],
    ['a refused connection', { throws: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }],
  ])('G-149: a read failing by %s is repeated after the last hint', async (_, failing) => {
    const { toolset, suspended, options, waited, caller } = await taskWorld({
      tasks: [failing, failing, finished],
    })
    expect((await resumeTask(toolset, suspended, {}, options)).status).toBe('ok')
    expect(waited).toEqual([700, 700])
    expect(caller.reads).toHaveLength(3)
  })

  test.each<[string, unknown, number]>([
    ['lasting', lost.throws, 5],
    ['HTTP 401', new HttpResponseError(401), 1],
    ['of this side', new InternalClientError('x'), 1],
    ['unknown', new Error('bug'), 1],
  ])('a failure to read that is %s is thrown and leaves the record good', async (_, error, reads) => {
    const { toolset, suspended, options, caller } = await taskWorld({
      tasks: [...Array<Scripted<Task>>(reads).fill({ throws: error }), finished],
    })
    await expect(resumeTask(toolset, suspended, {}, options)).rejects.toBe(error)
    expect(caller.reads).toHaveLength(reads)
    expect((await resumeTask(toolset, suspended, {}, options)).status).toBe('ok')
  })

  test.each<[string, Scripted<Task>, string]>([
    ['failed', task({ status: 'failed', error: { code: -32602, message: 'x' } }), 'internal'],
    ['failed', task({ status: 'failed', error: { code: -32000, message: 'x' } }), 'internal'],
    ['was cancelled', task({ status: 'cancelled' }), 'unavailable'],
    ['is unknown to the server', { throws: new RpcError(-32602, 'x') }, 'internal'],
    ['cannot be read', { throws: new MalformedResponseError('x') }, 'malformed_result'],
    ['is another one', { ...finished, taskId: 'task-2' }, 'malformed_result'],
    ['has a status nobody knows', { ...finished, status: 'odd' } as never, 'malformed_result'],
    ['has no result it declares', task({ status: 'completed', result: complete() }), 'malformed_result'],
  ])('Task %s: finish, and so for every duplicate', async (_, answer, kind) => {
    const { toolset, suspended, options, caller } = await taskWorld({ tasks: [answer, finished] })
    const outcome = await resumeTask(toolset, suspended, {}, options)
    expect(outcome).toMatchObject(failedFor(kind))
    expect(await resumeTask(toolset, suspended, {}, options)).toEqual(outcome)
    expect(caller.reads).toHaveLength(1)
  })

  test('G-144: a tool that failed inside a task is a rejection, as anywhere', async () => {
    const rejected = task({ status: 'completed', result: complete(undefined, { isError: true }) })
    const { toolset, suspended, options } = await taskWorld({ tasks: [rejected] })
    expect(await resumeTask(toolset, suspended, {}, options)).toMatchObject({
      failure: { kind: 'domain_rejection', recovery: { action: 'replan' } },
    })
  })

  test('wait: false looks once', async () => {
    const { toolset, suspended, options, waited } = await taskWorld({ tasks: [working(), finished] })
    const once = await resumeTask(toolset, suspended, {}, { ...options, wait: false })
    expect(recordOf(once)).toMatchObject({ sequence: 1, pending: { task: { status: 'working' } } })
    expect(waited).toEqual([])
    expect((await resumeTask(toolset, recordOf(once), {}, options)).status).toBe('ok')
  })

  test('an aborted signal ends the waiting with its reason and claims nothing', async () => {
    const { toolset, suspended, options, store } = await taskWorld({ tasks: [working(), finished] })
    const stop = new AbortController()
    const pause = async () => {
      stop.abort(new Error('enough'))
      throw new Error('woken')
    }
    const waiting = resumeTask(toolset, suspended, {}, { ...options, pause, signal: stop.signal })
    await expect(waiting).rejects.toThrow('woken')
    const again = resumeTask(toolset, suspended, {}, { ...options, signal: stop.signal })
    await expect(again).rejects.toThrow('enough')
    expect(await store.load(suspended.toolCallId, 1)).toBeUndefined()
    expect((await resumeTask(toolset, suspended, {}, options)).status).toBe('ok')
  })

  test('the timer of its own wakes with the reason of the signal', async () => {
    const { toolset, suspended, store } = await taskWorld({ tasks: [working(3_600_000)] })
    const stop = new AbortController()
    const waiting = resumeTask(toolset, suspended, {}, { store, signal: stop.signal })
    setImmediate(() => stop.abort(new Error('enough')))
    await expect(waiting).rejects.toThrow('enough')
  })
})

describe('§5.4 answering a task', () => {
  test('some answers now, some later; an answered question is not asked again', async () => {
    const { toolset, suspended, options, caller } = await taskWorld({
      tasks: [asks('a', 'b'), asks('a', 'b'), asks('a', 'b'), finished],
    })
    const asked = recordOf(await resumeTask(toolset, suspended, {}, options))
    const one = recordOf(await resumeTask(toolset, asked, { responses: { a: yes } }, options))
    expect(one).toMatchObject({ sequence: 2, pending: { answered: ['a'] } })
    const still = recordOf(await resumeTask(toolset, one, {}, options))
    const refused = resumeTask(toolset, still, { responses: { a: yes } }, options)
    await expect(refused).rejects.toThrow(InvalidAnswersError)
    const both = recordOf(
      await resumeTask(toolset, still, { responses: { b: { action: 'decline' } } }, options),
    )
    expect(both.pending).toMatchObject({ answered: ['a', 'b'] })
    expect((await resumeTask(toolset, both, {}, options)).status).toBe('ok')
    expect(caller.updates).toEqual([
      { taskId: 'task-1', responses: { a: yes } },
      { taskId: 'task-1', responses: { b: { action: 'decline' } } },
    ])
    expect(caller.calls).toHaveLength(1)
  })

  test.each<[string, unknown]>([
    ['another key', { c: yes }],
    ['a value that does not fit', { a: { action: 'accept', content: { ok: 'yes' } } }],
    ['no object', null],
  ])('answers with %s are refused before network', async (_, responses) => {
    const { toolset, suspended, options, caller } = await taskWorld({}, asks('a'))
    const refused = resumeTask(toolset, suspended, { responses: responses as never }, options)
    await expect(refused).rejects.toThrow(InvalidAnswersError)
    expect(caller.updates).toEqual([])
  })

  test('G-149: an uncertain delivery is never repeated', async () => {
    const { toolset, suspended, options, caller } = await taskWorld({ updates: [lost, undefined] }, asks('a'))
    const outcome = await resumeTask(toolset, suspended, { responses: { a: yes } }, options)
    expect(outcome).toMatchObject(failedFor('unavailable'))
    expect(await resumeTask(toolset, suspended, { responses: { a: yes } }, options)).toEqual(outcome)
    expect(await resumeTask(toolset, suspended, {}, options)).toEqual(outcome)
    expect(caller.updates).toHaveLength(1)
  })

  test('a refused delivery finishes too, and is nothing to correct', async () => {
    const { toolset, suspended, options } = await taskWorld(
      { updates: [{ throws: new RpcError(-32602, 'x') }] },
      asks('a'),
    )
    const outcome = await resumeTask(toolset, suspended, { responses: { a: yes } }, options)
    expect(outcome).toMatchObject(failedFor('internal'))
  })

  test('stopped at the delivery: finish as unavailable, and never delivered again', async () => {
    const stop = new AbortController()
    const { toolset, suspended, options, caller } = await taskWorld({}, asks('a'))
    const stopping = {
      ...caller,
      updateTask: () => {
        stop.abort(new Error('user left'))
        return Promise.reject(stop.signal.reason as Error)
      },
    }
    const answers = { responses: { a: yes } }
    const first = { ...toolset, caller: stopping }
    const outcome = await resumeTask(first, suspended, answers, { ...options, signal: stop.signal })
    expect(outcome).toMatchObject(failedFor('unavailable'))
    expect(await resumeTask(toolset, suspended, answers, options)).toEqual(outcome)
    expect(caller.updates).toEqual([])
  })

  test('hostInput: false refuses before network', async () => {
    const { toolset, suspended, options, caller } = await taskWorld({}, asks('a'))
    const refused = resumeTask(
      toolset,
      suspended,
      { responses: { a: yes } },
      { ...options, hostInput: false },
    )
    await expect(refused).rejects.toThrow(InternalClientError)
    expect(caller.updates).toEqual([])
  })

  test('a task is no call', async () => {
    const { toolset, suspended, options } = await taskWorld({})
    await expect(resumeCall(toolset, suspended, { responses: {} }, options)).rejects.toThrow(
      InternalClientError,
    )
  })
})

describe('§5.4 cancelling a task', () => {
  test('the wish is kept before it is sent; later reads show its effect: G-145', async () => {
    const { toolset, suspended, options, caller } = await taskWorld({
      tasks: [task({ status: 'cancelled' })],
    })
    const wanted = recordOf(await resumeTask(toolset, suspended, { cancel: true }, options))
    expect(wanted).toMatchObject({ sequence: 1, pending: { cancelRequested: true } })
    expect(await resumeTask(toolset, wanted, {}, options)).toMatchObject(failedFor('unavailable'))
    expect(caller.cancels).toEqual(['task-1'])
  })

  test('a store that cannot keep the wish sends nothing', async () => {
    const { toolset, suspended, options, caller, store } = await taskWorld({})
    const down = { ...store, claim: () => Promise.reject(new Error('down')) }
    const cancelled = resumeTask(toolset, suspended, { cancel: true }, { ...options, store: down })
    await expect(cancelled).rejects.toThrow('down')
    expect(caller.cancels).toEqual([])
  })

  test('G-149: the same wish is repeated until it was taken, and questions stop nothing', async () => {
    const { toolset, suspended, options, caller } = await taskWorld({
      cancels: [lost, lost, undefined],
      tasks: [working(), asks('a'), working(), task({ status: 'cancelled' })],
    })
    const wanted = recordOf(await resumeTask(toolset, suspended, { cancel: true }, options))
    expect((await resumeTask(toolset, wanted, {}, options)).status).toBe('failed')
    expect(caller.cancels).toHaveLength(3)
    expect(caller.reads).toHaveLength(4)
  })

  test('an observed end needs no cancel', async () => {
    const { toolset, suspended, options, caller } = await taskWorld({ cancels: [lost], tasks: [finished] })
    const wanted = recordOf(await resumeTask(toolset, suspended, { cancel: true }, options))
    expect((await resumeTask(toolset, wanted, {}, options)).status).toBe('ok')
    expect(caller.cancels).toHaveLength(1)
  })

  test('a refusal is not repeated; the task tells how it ends', async () => {
    const { toolset, suspended, options, caller } = await taskWorld({
      cancels: [{ throws: new RpcError(-32601, 'x') }],
      tasks: [working(), working(), finished],
    })
    const wanted = recordOf(await resumeTask(toolset, suspended, { cancel: true }, options))
    expect((await resumeTask(toolset, wanted, {}, options)).status).toBe('ok')
    expect(caller.cancels).toHaveLength(2)
  })

  test('a duplicate sends nothing', async () => {
    const { toolset, suspended, options, caller } = await taskWorld({})
    const first = await resumeTask(toolset, suspended, { cancel: true }, options)
    expect(await resumeTask(toolset, suspended, { cancel: true }, options)).toEqual(first)
    expect(caller.cancels).toHaveLength(1)
  })
})
