import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  CallInProgressError,
  InvalidAnswersError,
  mcpToolset,
  parseSuspendedCall,
  resumeCall,
  resumeTask,
  UnsupportedRecordError,
} from '../../src/agent/index.js'
import type { SuspendedCall } from '../../src/agent/index.js'
import { InternalClientError, OutcomeUnknownError } from '../../src/client/errors.js'
import type { InputRequest, InputResponse } from '../../src/client/input.js'
import { defineTool } from '../../src/index.js'
import { asking, complete, form } from './scripted-caller.js'
import { addNote, suspend, world } from './world.js'

const dayForm = form({ day: { type: 'string', format: 'date' } }, ['day'])
const url: InputRequest = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in', url: 'https://login.example' },
}
const day = (value: string): InputResponse => ({ action: 'accept', content: { day: value } })
const done = complete({ id: 'n1' })

async function suspendedWorld(requests: Record<string, InputRequest>, state?: string, ...later: unknown[]) {
  const made = await world({
    calls: [asking(requests, state), ...((later.length > 0 ? later : [done]) as never[])],
  })
  return { ...made, suspended: await suspend(made) }
}

describe('§5.4 resumeCall', () => {
  test('G-138: same arguments, state byte for byte, answers of this round', async () => {
    const state = ' \u0000"ünï'
    const { toolset, suspended, store, caller } = await suspendedWorld({ when: dayForm }, state)
    const revived = parseSuspendedCall(JSON.stringify(suspended))
    const outcome = await resumeCall(toolset, revived, { responses: { when: day('2026-08-22') } }, { store })
    expect(outcome).toMatchObject({ status: 'ok', value: { id: 'n1' } })
    expect(caller.calls[1]!.request).toEqual({
      tool: 'notes.add',
      arguments: { text: 'milk', tags: [] },
      continuation: { requestState: state, inputResponses: { when: day('2026-08-22') } },
    })
  })

  test.each([
    ['state only', {}, 'state', { requestState: 'state', inputResponses: {} }],
    ['an empty state', {}, '', { requestState: '', inputResponses: {} }],
    ['neither state nor questions', {}, undefined, { inputResponses: {} }],
  ])('%s resumes with {} and keeps what was there', async (_, requests, state, continuation) => {
    const { toolset, suspended, store, caller } = await suspendedWorld(requests, state)
    await resumeCall(toolset, suspended, { responses: {} }, { store })
    expect(caller.calls[1]!.request.continuation).toEqual(continuation)
  })

  test('each round counts one up and forgets the state before it', async () => {
    const { toolset, suspended, store } = await suspendedWorld({}, 'one', asking({ b: url }))
    const outcome = await resumeCall(toolset, suspended, { responses: {} }, { store })
    expect(outcome).toMatchObject({
      suspended: { sequence: 1, pending: { kind: 'input', requests: { b: url } } },
    })
    expect((outcome as { suspended: SuspendedCall }).suspended.pending).not.toHaveProperty('requestState')
  })

  test('keys are the server’s: empty, odd and __proto__ alike', async () => {
    const requests = JSON.parse(
      JSON.stringify({ '': dayForm, ' A ': url, PROTO: url }).replace('PROTO', '__proto__'),
    )
    const responses = JSON.parse(
      '{"":{"action":"decline"}," A ":{"action":"accept"},"__proto__":{"action":"cancel"}}',
    ) as Record<string, InputResponse>
    const { toolset, suspended, store, caller } = await suspendedWorld(requests as never)
    await resumeCall(toolset, parseSuspendedCall(JSON.stringify(suspended)), { responses }, { store })
    expect(JSON.stringify(caller.calls[1]!.request.continuation)).toBe(
      JSON.stringify({ inputResponses: responses }),
    )
  })

  test.each([
    ['a missing key', {}],
    ['a key more', { when: day('2026-08-22'), then: { action: 'cancel' } }],
    ['another case', { When: day('2026-08-22') }],
    ['a blank around', { ' when': day('2026-08-22') }],
    ['no object', []],
    ['no answer', { when: null }],
    ['another action', { when: { action: 'maybe' } }],
    ['no content', { when: { action: 'accept' } }],
    ['a missing field', { when: { action: 'accept', content: {} } }],
    ['a field more', { when: { action: 'accept', content: { day: '2026-08-22', x: 1 } } }],
    ['a value that does not fit', { when: day('2026-02-30') }],
    ['a refusal with content', { when: { action: 'decline', content: { day: '2026-08-22' } } }],
  ])('answers with %s are refused before anything happens, and may be given again', async (_, responses) => {
    const { toolset, suspended, store, caller } = await suspendedWorld({ when: dayForm })
    const refused = resumeCall(toolset, suspended, { responses: responses as never }, { store })
    await expect(refused).rejects.toThrow(InvalidAnswersError)
    expect(caller.calls).toHaveLength(1)
    const again = await resumeCall(toolset, suspended, { responses: { when: day('2026-08-22') } }, { store })
    expect(again.status).toBe('ok')
  })

  test('an accepted URL carries no content', async () => {
    const { toolset, suspended, store } = await suspendedWorld({ go: url })
    const responses = { go: { action: 'accept', content: {} } } as const
    await expect(resumeCall(toolset, suspended, { responses }, { store })).rejects.toThrow(
      InvalidAnswersError,
    )
  })

  test('hostInput: false refuses before network', async () => {
    const { toolset, suspended, store, caller } = await suspendedWorld({})
    const refused = resumeCall(toolset, suspended, { responses: {} }, { store, hostInput: false })
    await expect(refused).rejects.toThrow(InternalClientError)
    expect(caller.calls).toHaveLength(1)
  })

  test('an aborted signal claims nothing', async () => {
    const { toolset, suspended, store } = await suspendedWorld({})
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(resumeCall(toolset, suspended, { responses: {} }, { store, signal })).rejects.toThrow('gone')
    expect((await resumeCall(toolset, suspended, { responses: {} }, { store })).status).toBe('ok')
  })

  test('a duplicate with the same sequence gets the saved outcome, a failure included', async () => {
    const lost = { throws: new OutcomeUnknownError(new Error('cut')) }
    const { toolset, suspended, store, caller } = await suspendedWorld({}, undefined, lost, done)
    const first = await resumeCall(toolset, suspended, { responses: {} }, { store })
    expect(first).toMatchObject({
      status: 'failed',
      failure: { kind: 'unavailable', recovery: { action: 'finish' } },
    })
    expect(await resumeCall(toolset, suspended, { responses: {} }, { store })).toEqual(first)
    expect(caller.calls).toHaveLength(2)
  })

  test('a step somebody took and never settled is not run again', async () => {
    const { toolset, suspended, store, caller } = await suspendedWorld({})
    await store.claim(suspended.toolCallId, 1)
    await expect(resumeCall(toolset, suspended, { responses: {} }, { store })).rejects.toThrow(
      CallInProgressError,
    )
    expect(caller.calls).toHaveLength(1)
  })

  test('a store that cannot claim sends nothing', async () => {
    const { toolset, suspended, store, caller } = await suspendedWorld({})
    const broken = { ...store, claim: () => Promise.reject(new Error('down')) }
    await expect(resumeCall(toolset, suspended, { responses: {} }, { store: broken })).rejects.toThrow('down')
    expect(caller.calls).toHaveLength(1)
  })

  test('a call is no task and a task no call', async () => {
    const { toolset, suspended, store } = await suspendedWorld({})
    await expect(resumeTask(toolset, suspended, {}, { store })).rejects.toThrow(InternalClientError)
  })
})

describe('G-174 records', () => {
  test.each([
    ['another version', { version: 2 }],
    ['no version', { version: undefined }],
    ['another toolset', { toolset: 'others' }],
    ['an unknown tool', { tool: 'notes.remove' }],
    ['a tool that changed', { contract: 'x' }],
    ['damaged arguments', { arguments: '[]' }],
    ['a damaged sequence', { sequence: -1 }],
    ['nothing pending', { pending: null }],
    ['something unknown pending', { pending: { kind: 'dream' } }],
    ['a damaged question', { pending: { kind: 'input', requests: { a: null } } }],
    ['a question without its form', { pending: { kind: 'input', requests: { a: { params: {} } } } }],
    [
      'a task that lost its questions',
      { pending: { kind: 'task', task: { taskId: 't', status: 'input_required' }, answered: [] } },
    ],
  ])('%s is refused, not converted', async (_, change) => {
    const { toolset, suspended, store, caller } = await suspendedWorld({})
    const record = { ...suspended, ...change } as SuspendedCall
    await expect(resumeCall(toolset, record, { responses: {} }, { store })).rejects.toThrow(
      UnsupportedRecordError,
    )
    expect(caller.calls).toHaveLength(1)
  })

  test.each(['', '{', 'null', '[]', '{"version":1}'])('text %j is refused', (text) => {
    expect(() => parseSuspendedCall(text)).toThrow(UnsupportedRecordError)
  })

  test('the contract is of the schemas, whatever the order of their members', async () => {
    const { suspended, caller } = await suspendedWorld({})
    const { input, compiled } = addNote
    const properties = Object.entries(compiled.input.json['properties'] as object).reverse()
    const inputSchema = Object.fromEntries(
      Object.entries({ ...compiled.input.json, properties: Object.fromEntries(properties) }).reverse(),
    )
    const outputSchema = compiled.output!.json
    const listed = mcpToolset({
      name: 'notes',
      tools: [{ name: 'notes.add', inputSchema, outputSchema }],
      caller,
    })
    expect(listed.tools.get('notes.add')!.contract).toBe(suspended.contract)
    const changed = defineTool({
      name: 'notes.add',
      description: 'd',
      input,
      output: z.object({ id: z.int() }),
    })
    const other = mcpToolset({ name: 'notes', tools: [changed], caller })
    expect(other.tools.get('notes.add')!.contract).not.toBe(suspended.contract)
  })
})
