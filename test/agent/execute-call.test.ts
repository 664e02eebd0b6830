import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { executeToolCall, mcpToolset, planCalls, toolRequest } from '../../src/agent/index.js'
import type { ToolRequest } from '../../src/agent/index.js'
import { OutcomeUnknownError } from '../../src/client/errors.js'
import { defineTool } from '../../src/index.js'
import { asking, complete, form, scriptedCaller, task, type Script } from './scripted-caller.js'
import { addNote, world } from './world.js'

/** A definition spares the look at the server's list. */
const known = { parameters: [], annotations: undefined }

const failed = (kind: string, action = 'finish') => ({
  status: 'failed',
  failure: { kind, recovery: { action } },
})

describe('§5.3 executeToolCall', () => {
  test('G-179: a result is checked and told with its content', async () => {
    const { toolset, call, caller } = await world({
      calls: [complete({ id: 'n1', extra: true }, { metadata: { 'a.b/c': 1 } })],
    })
    expect(await executeToolCall(toolset, call)).toEqual({
      status: 'ok',
      value: { id: 'n1' },
      content: [{ type: 'text', text: 'done' }],
      metadata: { 'a.b/c': 1 },
    })
    expect(caller.calls).toEqual([
      { request: { tool: 'notes.add', arguments: { text: 'milk', tags: [] } }, options: { known } },
    ])
  })

  test.each([
    ['misses a result it declares', complete()],
    ['has a result of another shape', complete({ id: 7 })],
    ['asks though nobody said it may become a task', { status: 'task', task: task({ status: 'working' }) }],
    ['has a status nobody knows', { status: 'later' }],
  ] as [string, never][])('G-179: malformed when it %s', async (_, answer) => {
    const { toolset, call } = await world({ calls: [answer] })
    expect(await executeToolCall(toolset, call)).toMatchObject(failed('malformed_result'))
  })

  test('G-179: a tool that declares no result must give none; a listed one may', async () => {
    const plain = defineTool({ name: 'plain', description: 'd' })
    const caller = scriptedCaller({ calls: [complete(1), complete(), complete(1)] })
    const listed = { name: 'listed', inputSchema: { type: 'object' } }
    const toolset = mcpToolset({ name: 't', tools: [plain, listed], caller })
    const calls = planCalls([
      await toolRequest(plain, {}),
      await toolRequest(plain, {}),
      await toolRequest(listed, {}),
    ])
    const outcomes = []
    for (const call of calls) outcomes.push(await executeToolCall(toolset, call))
    expect(outcomes[0]).toMatchObject(failed('malformed_result'))
    expect(outcomes[1]).toEqual({ status: 'ok', content: [{ type: 'text', text: 'done' }] })
    expect(outcomes[2]).toMatchObject({ status: 'ok', value: 1 })
  })

  test('G-172: text that looks like JSON is never taken for the result', async () => {
    const text = complete(undefined, { content: [{ type: 'text', text: '{"id":"n1"}' }] })
    const { toolset, call } = await world({ calls: [text] })
    expect(await executeToolCall(toolset, call)).toMatchObject(failed('malformed_result'))
  })

  test('a null result is a result: G-62', async () => {
    const nothing = defineTool({ name: 'n', description: 'd', output: z.null() })
    const toolset = mcpToolset({
      name: 't',
      tools: [nothing],
      caller: scriptedCaller({ calls: [complete(null)] }),
    })
    const [call] = planCalls([await toolRequest(nothing, {})])
    expect(await executeToolCall(toolset, call!)).toMatchObject({ status: 'ok', value: null })
  })

  test('D-17: isError is a rejection with its words, and its result is not judged', async () => {
    const { toolset, call } = await world({ calls: [complete(undefined, { isError: true })] })
    expect(await executeToolCall(toolset, call)).toMatchObject({
      status: 'failed',
      failure: { kind: 'domain_rejection', message: 'done', recovery: { action: 'replan' } },
    })
  })

  test('G-98: one attempt, whatever happens', async () => {
    const { toolset, call, caller } = await world({
      calls: [{ throws: new OutcomeUnknownError(new Error('cut')) }],
    })
    expect(await executeToolCall(toolset, call)).toMatchObject(failed('unavailable'))
    expect(caller.calls).toHaveLength(1)
  })

  test.each(['unknown', 'hidden'])('unknown MCP tool name at executor: %s', async (tool) => {
    const hidden = { name: 'hidden', inputSchema: { type: 'object' }, _meta: { ui: { visibility: ['app'] } } }
    const caller = scriptedCaller({})
    const [call] = planCalls([{ tool, arguments: '{}' } satisfies ToolRequest])
    const outcome = await executeToolCall(mcpToolset({ name: 't', tools: [hidden], caller }), call!)
    expect(outcome).toMatchObject(failed('invalid_call', 'replan'))
    expect(caller.calls).toEqual([])
  })

  test.each([
    ['a reason of the host', new Error('user left'), 'unavailable'],
    ['an abort', undefined, 'unavailable'],
    ['a deadline', new DOMException('time', 'TimeoutError'), 'timeout'],
  ])('G-101: stopped before it was sent by %s: nothing is sent', async (_, reason, kind) => {
    const { toolset, call, caller } = await world({})
    const outcome = await executeToolCall(toolset, call, { signal: AbortSignal.abort(reason) })
    expect(outcome).toMatchObject(failed(kind))
    expect(caller.calls).toEqual([])
  })

  test('signal, progress and support for tasks and input reach the caller', async () => {
    const { toolset, call, caller } = await world({ calls: [complete({ id: 'a' })] })
    const { signal } = new AbortController()
    const onProgress = () => undefined
    await executeToolCall(toolset, call, { signal, onProgress, taskSupport: true })
    await executeToolCall(toolset, call, { taskSupport: true, hostInput: false })
    expect(caller.calls.map(({ options }) => options)).toEqual([
      { signal, onProgress, taskSupport: true, known },
      { hostInput: false, known },
    ])
  })
})

describe('§5.4 suspension', () => {
  const script: Script = { calls: [asking({ '': form({ day: { type: 'string' } }) }, '')] }

  test('G-138: the record is plain JSON and complete', async () => {
    const { toolset, call } = await world(script)
    const outcome = await executeToolCall(toolset, call)
    expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome)
    expect(outcome).toMatchObject({
      status: 'suspended',
      suspended: {
        version: 1,
        toolset: 'notes',
        tool: 'notes.add',
        toolCallId: call.id,
        arguments: '{"text":"milk","tags":[]}',
        sequence: 0,
        pending: { kind: 'input', requestState: '', requests: { '': form({ day: { type: 'string' } }) } },
      },
    })
  })

  test('the provider’s id is in it when there was one', async () => {
    const { toolset } = await world(script)
    const request = { ...(await toolRequest(addNote, { text: 'a' })), providerCallId: 'p1' }
    const outcome = await executeToolCall(toolset, planCalls([request])[0]!)
    expect(outcome).toMatchObject({ suspended: { providerCallId: 'p1' } })
  })

  test('G-140: a text-only run takes no question, no state alone and no task', async () => {
    for (const answer of [
      asking({ a: form({}) }),
      asking({}, 's'),
      { status: 'task', task: task({ status: 'working' }) },
    ]) {
      const { toolset, call } = await world({ calls: [answer as never] })
      expect(await executeToolCall(toolset, call, { hostInput: false, taskSupport: true })).toMatchObject(
        failed('malformed_result'),
      )
    }
  })

  test('a duplicate of the first call gets the saved outcome', async () => {
    const { toolset, call, caller, store } = await world({
      calls: [complete({ id: 'a' }), complete({ id: 'b' })],
    })
    const first = await executeToolCall(toolset, call, { store })
    expect(await executeToolCall(toolset, call, { store })).toEqual(first)
    expect(caller.calls).toHaveLength(1)
  })
})
