import assert from 'node:assert/strict'
import type { Caller, ToolCallOptions } from '../client/caller.js'
import type { FormRequest, InputResponse, UrlRequest } from '../client/input.js'
import { OutcomeUnknownError, RpcError } from '../client/errors.js'
import type { JsonObject } from '../protocol/json.js'
import { answered, expectMalformed, onlyParams, rejection, type CheckDefinition } from './caller-check.js'
import { tool, type PeerAnswer } from './caller-peer.js'

const content = [{ type: 'text', text: '{"not":"parsed"}' }] as const
const done = answered({ content })
const form: FormRequest = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } },
}
const url: UrlRequest = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in', url: 'https://login.example.com/' },
}
const state = ' "\u00fc\u2028\\ '
const asking = (members: JsonObject): PeerAnswer => ({ result: { resultType: 'input_required', ...members } })
const created: PeerAnswer = {
  result: {
    resultType: 'task',
    taskId: 'task-1',
    status: 'working',
    createdAt: '2026-08-22T09:00:00Z',
    lastUpdatedAt: '2026-08-22T09:00:00Z',
    ttlMs: null,
  },
}

const call = (caller: Caller, options?: ToolCallOptions) =>
  caller.callTool({ tool, arguments: { a: [1, null, ''] } }, options)

function answers(
  name: string,
  answer: PeerAnswer,
  response: unknown,
  options?: ToolCallOptions,
): CheckDefinition {
  return {
    name,
    script: { 'tools/call': answer },
    async check(caller, seen) {
      assert.deepEqual(plain(await call(caller, options)), response)
      assert.equal(seen.length, 1)
    },
  }
}

/** What JSON keeps, so that an absent member and one that is undefined are told apart from null alone. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

const sending: readonly CheckDefinition[] = [
  {
    name: 'callTool sends the name and the arguments as they are, once (G-60)',
    script: { 'tools/call': done },
    async check(caller, seen) {
      await call(caller)
      assert.deepEqual(onlyParams(seen, 'tools/call'), { name: tool, arguments: { a: [1, null, ''] } })
    },
  },
  ...[state, ''].map((requestState) => ({
    name: `callTool sends a continuation byte for byte, with the state ${JSON.stringify(requestState)} (MR-31)`,
    script: { 'tools/call': done },
    check: async (caller: Caller, seen: Parameters<CheckDefinition['check']>[1]) => {
      const inputResponses: Record<string, InputResponse> = {
        '': { action: 'accept', content: { ok: true } },
        ' B ': { action: 'decline' },
      }
      await caller.callTool({ tool, arguments: { a: 1 }, continuation: { requestState, inputResponses } })
      const expected = { name: tool, arguments: { a: 1 }, inputResponses, requestState }
      assert.deepEqual(onlyParams(seen, 'tools/call'), expected)
    },
  })),
  {
    name: 'callTool sends no state where a continuation has none (MR-31)',
    script: { 'tools/call': done },
    async check(caller, seen) {
      await caller.callTool({ tool, continuation: { inputResponses: {} } })
      assert.ok(!('requestState' in onlyParams(seen, 'tools/call')))
    },
  },
  {
    name: 'callTool sends nothing when the signal is aborted, and rejects with its reason (G-101)',
    script: { 'tools/call': done },
    async check(caller, seen) {
      const reason = new Error('stopped')
      assert.equal(await rejection(call(caller, { signal: AbortSignal.abort(reason) })), reason)
      assert.deepEqual(seen, [])
    },
  },
  {
    name: 'callTool refuses a continuation where nobody can be asked, before sending (G-140)',
    script: { 'tools/call': done },
    async check(caller, seen) {
      const continuation = { requestState: state, inputResponses: {} }
      await rejection(caller.callTool({ tool, continuation }, { hostInput: false }))
      assert.deepEqual(seen, [])
    },
  },
]

const complete = { status: 'complete', content, isError: false }

const reading: readonly CheckDefinition[] = [
  answers('callTool leaves text alone and invents no structured content (G-62, G-172)', done, complete),
  answers(
    'callTool keeps null as structured content, and metadata (G-62)',
    answered({ content, structuredContent: null, _meta: { 'com.example/a': 1 } }),
    { ...complete, structuredContent: null, metadata: { 'com.example/a': 1 } },
  ),
  answers('callTool resolves with a tool’s own failure (G-75)', answered({ content, isError: true }), {
    ...complete,
    isError: true,
  }),
  answers(
    'callTool gives back questions under the server’s keys, and its state (G-63)',
    asking({ inputRequests: { '': form, ' B ': url }, requestState: state }),
    { status: 'input_required', requests: { '': form, ' B ': url }, requestState: state },
  ),
  answers('callTool keeps an empty state (MR-31)', asking({ requestState: '' }), {
    status: 'input_required',
    requests: {},
    requestState: '',
  }),
  answers('callTool has no state where the server sent none', asking({ inputRequests: { a: form } }), {
    status: 'input_required',
    requests: { a: form },
  }),
  answers(
    'callTool gives back a task to a host that keeps tasks (G-147)',
    created,
    {
      status: 'task',
      task: {
        taskId: 'task-1',
        status: 'working',
        createdAt: '2026-08-22T09:00:00Z',
        lastUpdatedAt: '2026-08-22T09:00:00Z',
        ttlMs: null,
      },
    },
    { taskSupport: true },
  ),
]

function refuses(name: string, answer: PeerAnswer, options?: ToolCallOptions): CheckDefinition {
  return {
    name,
    script: { 'tools/call': answer },
    check: (caller) => expectMalformed(call(caller, options)),
  }
}

const failing: readonly CheckDefinition[] = [
  refuses('callTool refuses a task nobody wanted (G-147)', created),
  refuses(
    'callTool refuses questions where nobody can be asked (G-140)',
    asking({ inputRequests: { a: form } }),
    {
      hostInput: false,
    },
  ),
  refuses('callTool refuses state alone where nobody can be asked (G-140)', asking({ requestState: state }), {
    hostInput: false,
  }),
  refuses('callTool refuses a result of unknown type (WIRE-11)', {
    result: { resultType: 'later', content },
  }),
  refuses('callTool refuses a result without content (TOOL-11)', answered({})),
  ...[{ data: null }, { data: { a: 1 } }, {}].map((data) => ({
    name: `callTool rejects with the server’s error, its data being ${JSON.stringify(data)} (G-74)`,
    script: { 'tools/call': { error: { code: -32077, message: 'No', ...data } } },
    check: async (caller: Caller) => {
      const error = await rejection(call(caller))
      assert.ok(error instanceof RpcError)
      assert.deepEqual([error.rpc, error.message, error.data], [-32077, 'No', data.data])
    },
  })),
  {
    name: 'callTool sends once and says the outcome is unknown when the answer is lost; then it is usable (G-102)',
    script: { 'tools/call': [{ lost: true }, done] },
    async check(caller, seen) {
      assert.ok((await rejection(call(caller))) instanceof OutcomeUnknownError)
      assert.equal(seen.length, 1)
      assert.equal((await call(caller)).status, 'complete')
    },
  },
  {
    name: 'callTool keeps the answers of calls at the same time apart (G-69)',
    script: { 'tools/call': outOfOrder() },
    async check(caller) {
      const calls = ['first', 'second'].map((text) => caller.callTool({ tool, arguments: { text } }))
      const texts = (await Promise.all(calls)).map((answer) => answer.status === 'complete' && answer.content)
      assert.deepEqual(texts, [[{ type: 'text', text: 'first' }], [{ type: 'text', text: 'second' }]])
    },
  },
]

/** Answers the first call after the second. */
function outOfOrder() {
  let waiting: (() => void) | undefined
  return async ({ arguments: args }: JsonObject) => {
    const { text } = args as { text: string }
    if (waiting !== undefined) waiting()
    else await new Promise<void>((resolve) => (waiting = resolve))
    return answered({ content: [{ type: 'text', text }] })
  }
}

/** What `callTool` promises. */
export const callChecks: readonly CheckDefinition[] = [...sending, ...reading, ...failing]
