import { describe, expect, test } from 'vitest'
import { OutcomeUnknownError, RpcError } from '../../../src/client/errors.js'
import { waitForTask } from '../../../src/client/wait-for-task.js'
import { echoTool, failure, gives, metaOf, scripted, throws, tools } from './script.js'

const facts = {
  taskId: 't1',
  createdAt: '2026-08-22T09:00:00Z',
  lastUpdatedAt: '2026-08-22T09:00:00Z',
  ttlMs: null,
  pollIntervalMs: 50,
}
const task = (more: object) => gives({ resultType: 'complete', ...facts, ...more })
const working = task({ status: 'working' })
const completed = task({ status: 'completed', result: { content: [], isError: true } })
const inputRequests = {
  q: {
    method: 'elicitation/create',
    params: { message: 'm', requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } },
  },
}
const lost = throws(new OutcomeUnknownError(new Error('reset')))
const onInput = { form: () => ({ action: 'accept', content: { ok: true } }) as const }

describe('tasks', () => {
  test('G-147: a call that may become a task', async () => {
    const answer = gives({ resultType: 'task', ...facts, status: 'working' })
    const { caller } = scripted({ 'tools/list': tools(echoTool), 'tools/call': answer })
    const call = { tool: 'echo', arguments: { text: 'a' } }
    expect(await caller.callTool(call, { taskSupport: true })).toEqual({
      status: 'task',
      task: { ...facts, status: 'working' },
    })
  })

  test('G-148, TK-17: reading, answering and cancelling name the task', async () => {
    const done = gives({ resultType: 'complete' })
    const { caller, sent } = scripted({ 'tasks/get': completed, 'tasks/update': done, 'tasks/cancel': done })
    expect(await caller.getTask('t1')).toMatchObject({ status: 'completed', result: { isError: true } })
    await caller.updateTask('t1', {})
    await caller.cancelTask('t1')
    expect(sent.map(({ headers }) => headers['mcp-name'])).toEqual(['t1', 't1', 't1'])
    for (const request of sent) {
      expect(metaOf(request)['io.modelcontextprotocol/clientCapabilities'].extensions).toEqual({
        'io.modelcontextprotocol/tasks': {},
      })
    }
  })

  test.each([
    ['another id', { taskId: 't2', status: 'working' }],
    ['an unknown status', { status: 'paused' }],
    ['no result', { status: 'completed' }],
    ['no error', { status: 'failed' }],
    ['a result that is unfinished', { status: 'completed', result: { resultType: 'input_required' } }],
    ['no dates', { status: 'working', createdAt: undefined }],
    ['TRAP-33: the type of a creation', { status: 'working', resultType: 'task' }],
  ])('G-148: %s is malformed', async (_what, more) => {
    const { caller } = scripted({ 'tasks/get': task(more) })
    expect(await failure(caller.getTask('t1'))).toMatchObject({ kind: 'malformed' })
  })

  test('TK-12: waiting reads until the end, answers each question once, and survives a lost read', async () => {
    const asking = task({ status: 'input_required', inputRequests })
    const { caller, of } = scripted(
      {
        'tasks/get': [working, lost, asking, asking, completed],
        'tasks/update': gives({ resultType: 'complete' }),
      },
      { inputSupport: { form: true } },
    )
    expect(await waitForTask(caller, 't1', { onInput })).toMatchObject({ status: 'completed' })
    expect(of('tasks/get')).toHaveLength(5)
    expect(of('tasks/update').map(({ params }) => params['inputResponses'])).toEqual([
      { q: { action: 'accept', content: { ok: true } } },
    ])
  })

  test('TK-12: without handlers a question ends the wait; a refusal and an abort do too', async () => {
    const asking = scripted(
      { 'tasks/get': task({ status: 'input_required', inputRequests }) },
      {
        inputSupport: { form: true },
      },
    )
    expect(await waitForTask(asking.caller, 't1')).toMatchObject({ status: 'input_required' })
    const gone = new RpcError(-32602, 'unknown task')
    expect(await failure(waitForTask(scripted({ 'tasks/get': throws(gone) }).caller, 't1'))).toBe(gone)
    const stop = new AbortController()
    const waiting = failure(
      waitForTask(scripted({ 'tasks/get': working }).caller, 't1', { signal: stop.signal }),
    )
    stop.abort(new Error('enough'))
    expect(await waiting).toMatchObject({ message: 'enough' })
  })

  test('G-149: an answer whose delivery is unknown is never sent again', async () => {
    const asking = task({ status: 'input_required', inputRequests })
    const { caller, of } = scripted(
      { 'tasks/get': asking, 'tasks/update': lost },
      { inputSupport: { form: true } },
    )
    expect(await failure(waitForTask(caller, 't1', { onInput }))).toMatchObject({ kind: 'unknown' })
    expect(of('tasks/update')).toHaveLength(1)
  })
})
