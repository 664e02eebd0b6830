import { localCaller } from 'castellan/client'
import { callerKit, type CallerPeer } from 'castellan/testing'
import { describe, expect, test } from 'vitest'
import type { Caller, CallResponse } from '../../src/client/caller.js'
import { OutcomeUnknownError } from '../../src/client/errors.js'
import type { JsonObject } from '../../src/protocol/json.js'
import { referenceCaller } from './reference-caller.js'

describe('the reference caller keeps the contract', () => {
  test.each(callerKit(referenceCaller))('$name', ({ run }) => run())
})

describe('localCaller keeps the contract, and with it every caller over a channel', () => {
  const checks = callerKit((peer) =>
    localCaller({
      server: { dispatch: ({ body, id }) => answerAsServer(peer, body, id) },
      clientInfo: { name: 'caller-kit', version: '1.0.0' },
      inputSupport: { form: true, url: true },
    }),
  )
  test.each(checks)('$name', ({ run }) => run())
})

async function answerAsServer(peer: CallerPeer, { method, params }: JsonObject, id: string) {
  const answer = await peer.answer(String(method), params as JsonObject)
  if ('lost' in answer) throw new Error('The peer is gone')
  const payload = JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(id), ...answer })
  return { kind: 'result' in answer ? ('result' as const) : ('error' as const), payload }
}

test('names are unique', () => {
  const names = callerKit(referenceCaller).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('a caller that can be disposed of is, also when it fails', async () => {
  let disposed = 0
  const checks = callerKit((peer) => ({
    ...referenceCaller(peer),
    callTool: () => Promise.reject(new Error('broken')),
    [Symbol.asyncDispose]: async () => {
      disposed++
    },
  }))
  for (const { run } of checks) await run().catch(() => undefined)
  expect(disposed).toBe(checks.length)
})

/** Callers that break one rule each. */
const broken: Record<string, (caller: Caller, peer: CallerPeer) => Partial<Caller>> = {
  'forgets an empty state': (caller) => ({
    callTool: async (request, options) => {
      const response = await caller.callTool(request, options)
      if (response.status !== 'input_required' || response.requestState !== '') return response
      return { status: 'input_required', requests: response.requests }
    },
  }),
  'sends no empty state': (caller) => ({
    callTool: (request, options) => {
      const { requestState, ...rest } = request.continuation ?? {}
      const continuation = requestState ? request.continuation! : rest
      return caller.callTool(request.continuation ? { ...request, continuation } : request, options)
    },
  }),
  'parses text': (caller) => ({
    callTool: async (request, options) => {
      const response = await caller.callTool(request, options)
      if (response.status !== 'complete' || 'structuredContent' in response) return response
      const [first] = response.content
      return first?.type === 'text' && first.text.startsWith('{')
        ? { ...response, structuredContent: JSON.parse(first.text) }
        : response
    },
  }),
  'takes null for nothing': (caller) => ({
    callTool: async (request, options) => {
      const { structuredContent: value, ...rest } = (await caller.callTool(request, options)) as any
      return (
        value === null || value === undefined ? rest : { ...rest, structuredContent: value }
      ) as CallResponse
    },
  }),
  'throws what a tool says': (caller) => ({
    callTool: async (request, options) => {
      const response = await caller.callTool(request, options)
      if (response.status === 'complete' && response.isError) throw new Error('tool failed')
      return response
    },
  }),
  'repeats what was lost': (caller) => ({
    callTool: (request, options) =>
      caller.callTool(request, options).catch((error: unknown) => {
        if (error instanceof OutcomeUnknownError) return caller.callTool(request, options)
        throw error
      }),
  }),
  'takes tasks unasked': (caller) => ({
    callTool: (request, options) => caller.callTool(request, { ...options, taskSupport: true }),
  }),
  'asks where nobody can be asked': (caller) => ({
    callTool: (request, options = {}) => {
      const { hostInput, ...rest } = options
      return caller.callTool(request, hostInput === false ? rest : options)
    },
  }),
  'ignores the signal': (caller) => ({
    cancelTask: (taskId) => caller.cancelTask(taskId),
  }),
  'believes an answer about another task': (_, peer) => ({
    getTask: (taskId) =>
      referenceCaller({
        answer: async (...request) => {
          const answer = await peer.answer(...request)
          return 'result' in answer ? { result: { ...answer.result, taskId } } : answer
        },
      }).getTask(taskId),
  }),
  'changes keys': (caller) => ({
    updateTask: (taskId, responses, options) =>
      caller.updateTask(
        taskId,
        Object.fromEntries(Object.entries(responses).map(([key, value]) => [key.trim(), value])),
        options,
      ),
  }),
  'gives the task back where nothing is': (caller) => ({
    cancelTask: async (taskId, options) => {
      await caller.cancelTask(taskId, options)
      return { taskId } as never
    },
  }),
}

test.each(Object.entries(broken))('a caller that %s is found out', async (_, breaking) => {
  const checks = callerKit((peer) => {
    const caller = referenceCaller(peer)
    return { ...caller, ...breaking(caller, peer) }
  })
  const results = await Promise.allSettled(checks.map(({ run }) => run()))
  expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
})
