import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  InvalidCallError,
  mcpToolset,
  OutputContractError,
  planCalls,
  runLimits,
  toolRequest,
  toolRequestFromModelCall,
  withCorrection,
} from '../../src/agent/index.js'
import type { ToolRequest } from '../../src/agent/index.js'
import { failure, finish } from '../../src/agent/failure.js'
import { defineTool, jsonSchema } from '../../src/index.js'
import { scriptedCaller } from './scripted-caller.js'
import { addNote } from './world.js'

const define = (input: z.ZodType) => defineTool({ name: 't', description: 'd', input: input as never })
const request = (input: z.ZodType, args: unknown) => toolRequest(define(input), args as never)

describe('§5.3 toolRequest', () => {
  test('G-177: canonical JSON: validated, defaults applied, written once', async () => {
    expect(await toolRequest(addNote, { text: 'milk' })).toEqual({
      tool: 'notes.add',
      arguments: '{"text":"milk","tags":[]}',
    })
  })

  test.each([
    ['trims', z.object({ a: z.string().trim() }), { a: ' x ' }, '{"a":"x"}'],
    ['drops what the schema drops', z.object({ a: z.string() }), { a: 'x', b: 1 }, '{"a":"x"}'],
    ['leaves out undefined', z.object({ a: z.string().optional() }), { a: undefined }, '{}'],
    [
      'keeps what a transform would spoil',
      z.object({ a: z.string().transform(Number) }),
      { a: '1' },
      '{"a":"1"}',
    ],
    [
      'keeps what grows with each parse',
      z.object({ a: z.string().transform((a) => `${a}!`) }),
      { a: 'x' },
      '{"a":"x"}',
    ],
    ['orders digits as JSON.parse does', z.record(z.string(), z.int()), { b: 1, 1: 2 }, '{"1":2,"b":1}'],
  ])('%s', async (_, schema, args, text) => {
    expect((await request(schema, args)).arguments).toBe(text)
  })

  test('refinements may be asynchronous', async () => {
    const schema = z.object({ a: z.string().refine(async (a) => a === 'x') })
    expect((await request(schema, { a: 'x' })).arguments).toBe('{"a":"x"}')
    await expect(request(schema, { a: 'y' })).rejects.toThrow(InvalidCallError)
  })

  test('G-180: issues tell where, what and which rule, never the rejected value', async () => {
    const schema = z.object({
      name: z.string({ error: ({ input }) => `${String(input)} is no name` }).regex(/^[a-z]+$/, 'bad'),
      size: z.int().max(3),
      list: z.array(z.union([z.string(), z.object({ deep: z.boolean() })])),
    })
    const wrong = await request(schema, { name: 481516, size: 2342, list: ['a', { deep: 'secret' }] }).catch(
      (error: unknown) => error as InvalidCallError,
    )
    const { issues } = wrong as InvalidCallError
    expect(issues).toMatchObject([
      { path: ['name'], constraint: 'invalid_type', expected: 'string' },
      { path: ['size'], constraint: 'too_big', expected: 'number <= 3' },
      { path: ['list', 1], constraint: 'invalid_type' },
    ])
    expect(JSON.stringify(issues)).not.toMatch(/481516|2342|secret/)
  })

  test.each([[[]], [null], ['text'], [undefined], [{ a: 1n }], [circle()]])(
    '%s is no object of JSON',
    async (args) => {
      await expect(request(z.object({}), args)).rejects.toThrow(InvalidCallError)
    },
  )

  function circle(): unknown {
    const value: { self?: unknown } = {}
    value.self = value
    return value
  }

  test('a raw JSON Schema is judged by its validator', async () => {
    const schema = jsonSchema<{ a: 1 }>({ type: 'object' }, (value) =>
      (value as { a?: unknown }).a === 1 ? { value: { a: 1 } } : { issues: 'a: must be 1' },
    )
    const tool = defineTool({ name: 't', description: 'd', input: schema })
    expect((await toolRequest(tool, { a: 1 })).arguments).toBe('{"a":1}')
    const wrong = (await toolRequest(tool, {} as never).catch((error: unknown) => error)) as InvalidCallError
    expect(wrong.issues).toEqual([{ path: [], constraint: 'schema', message: 'a: must be 1' }])
  })

  test('a tool without input takes nothing', async () => {
    const tool = defineTool({ name: 't', description: 'd' })
    expect((await toolRequest(tool, {})).arguments).toBe('{}')
    await expect(toolRequest(tool, { a: 1 } as never)).rejects.toThrow(InvalidCallError)
  })

  test('G-29: a listed tool takes any object; the caller judges', async () => {
    const made = await toolRequest({ name: 'x', inputSchema: { type: 'object' } }, { a: [1] })
    expect(made).toEqual({ tool: 'x', arguments: '{"a":[1]}' })
  })
})

describe('§5.3 toolRequestFromModelCall', () => {
  const example = { text: 'bread' }
  const withExample = defineTool({
    name: 'notes.add',
    description: 'Add a note',
    input: z.object({ text: z.string().min(1) }).meta({ examples: [example] }),
  })
  const hidden = { name: 'hidden', inputSchema: { type: 'object' }, _meta: { ui: { visibility: ['app'] } } }
  const throwing = define(
    z.object({
      a: z.string().refine(() => {
        throw new Error('bug')
      }),
    }),
  )
  const toolset = mcpToolset({
    name: 'n',
    tools: [withExample, hidden, throwing],
    caller: scriptedCaller({}),
  })
  const made = (name: string, input: unknown) =>
    toolRequestFromModelCall(toolset, { id: 'call_1', name, input })

  test('G-187: keeps the id of the provider, and the exact name of the tool', async () => {
    expect(await made('notes_add', { text: 'milk' })).toEqual({
      tool: 'notes.add',
      arguments: '{"text":"milk"}',
      providerCallId: 'call_1',
    })
  })

  test('correct_call: issues, what the model sent, and an example', async () => {
    expect(await made('notes_add', { text: 7 })).toMatchObject({
      kind: 'invalid_call',
      recovery: {
        action: 'correct_call',
        issues: [{ path: ['text'], constraint: 'invalid_type' }],
        priorInput: { text: 7 },
        example,
      },
    })
  })

  test.each(['unknown', 'notes.add', 'hidden', '__proto__'])(
    'unknown tool name %s: invalid_call and replan',
    async (name) => {
      expect(await made(name, {})).toMatchObject({ kind: 'invalid_call', recovery: { action: 'replan' } })
    },
  )

  test('never throws', async () => {
    expect(await made('t', { a: 'x' })).toMatchObject({ kind: 'internal', recovery: { action: 'finish' } })
    const input = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    expect(await made('notes_add', input)).toMatchObject({ kind: 'invalid_call' })
    for (const name of [undefined, null, 1n, Symbol('a'), {}]) {
      expect(await made(name as never, {})).toMatchObject({ recovery: { action: 'replan' } })
    }
  })

  test('withCorrection adds to calls of a model only', async () => {
    const failed = failure('invalid_call', 'x', { action: 'correct_call', issues: [] }, 'cause')
    const [ours] = planCalls([await toolRequest(withExample, { text: 'milk' })])
    const [model] = planCalls([(await made('notes_add', { text: 'milk' })) as ToolRequest])
    expect(withCorrection(toolset, ours!, failed)).toBe(failed)
    const told = withCorrection(toolset, model!, failed)
    expect(told.recovery).toMatchObject({ priorInput: { text: 'milk' }, example })
    expect(told.cause).toBe('cause')
    const over = failure('timeout', 'x', finish)
    expect(withCorrection(toolset, model!, over)).toBe(over)
  })
})

describe('§5.3 planCalls', () => {
  const good: ToolRequest = { tool: 'a', arguments: '{}' }

  test('G-176: gives each call an id and starts it at 0', () => {
    const calls = planCalls([good, { ...good, providerCallId: 'p' }], { maxToolCalls: 2 })
    expect(calls).toMatchObject([
      { tool: 'a', sequence: 0 },
      { tool: 'a', sequence: 0, providerCallId: 'p' },
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })

  test.each([
    ['too many', [good, good, good]],
    ['no list', good],
    ['a failure among them', [good, failure('internal', 'x')]],
    ['nothing', [null]],
    ['arguments that are no text', [{ tool: 'a', arguments: {} }]],
    ['arguments that are not canonical', [{ tool: 'a', arguments: '{ }' }]],
    ['arguments that are no object', [{ tool: 'a', arguments: '[]' }]],
    [
      'two calls with one provider id',
      [
        { ...good, providerCallId: 'p' },
        { ...good, providerCallId: 'p' },
      ],
    ],
    ['a provider id that is no text', [{ ...good, providerCallId: 7 }]],
  ])('G-184: refused as a whole: %s', (_, requests) => {
    expect(() => planCalls(requests as never, { maxToolCalls: 2 })).toThrow(OutputContractError)
  })
})

describe('§5.5 run limits', () => {
  const good: ToolRequest = { tool: 'a', arguments: '{}' }
  const finished = (kind: string) => ({ kind, recovery: { action: 'finish' } })

  test('calls are counted over the run; what exceeds them finishes it and runs nothing', () => {
    const limits = runLimits({ maxToolCalls: 3 })
    expect(limits.plan([good, good])).toHaveLength(2)
    expect(limits.plan([good, good])).toMatchObject(finished('rate_limited'))
    expect(limits.plan([good])).toHaveLength(1)
  })

  test('8 calls when nothing is said', () => {
    const limits = runLimits()
    expect(limits.plan(Array<ToolRequest>(8).fill(good))).toHaveLength(8)
    expect(limits.plan([good])).toMatchObject(finished('rate_limited'))
  })

  test('time over finishes as timeout, and its signal tells so', async () => {
    const limits = runLimits({ timeBudgetMs: 0 })
    if (!limits.signal.aborted)
      await new Promise((resolve) => {
        limits.signal.addEventListener('abort', resolve)
      })
    expect(limits.plan([good])).toMatchObject(finished('timeout'))
    expect((limits.signal.reason as Error).name).toBe('TimeoutError')
  })

  test('a host that stops the run', () => {
    const host = new AbortController()
    const limits = runLimits({ signal: host.signal })
    host.abort(new Error('closed'))
    expect(limits.signal.reason).toEqual(new Error('closed'))
    expect(limits.plan([good])).toMatchObject(finished('unavailable'))
  })
})
