import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  form,
  ToolError,
  type HandlerContext,
} from 'castellan'
import { handle } from 'castellan/fastify'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { meta } from '../../wire.js'
import { ask, principal, server } from '../harness.js'
import { allOfThem, asking, next, page, returned, round, sure, yes } from './asking.js'

describe('a run that asks', () => {
  test('unwinds before the call is answered: signal, finally, and nothing it says afterwards', async () => {
    const order: string[] = []
    const tool = asking({ sure }, async (input, context) => {
      context.signal.addEventListener('abort', () => order.push('aborted'))
      try {
        await input.sure({ message: 'x' })
      } catch (error) {
        order.push((error as Error).name, String(context.signal.aborted))
        await expect(input.sure({ message: 'x' })).rejects.toThrow()
        throw new ToolError('not to be seen')
      } finally {
        await new Promise(setImmediate)
        order.push('cleaned up')
      }
    })
    const { json } = await round(server({ tools: [tool] }))
    order.push('answered')
    expect(json.result.resultType).toBe('input_required')
    expect(order).toEqual(['aborted', 'AbortError', 'true', 'cleaned up', 'answered'])
  })

  test('is over by itself when it ends in the same turn', async () => {
    const tool = asking({ sure }, (input) => {
      void input.sure({ message: 'x' })
      throw new ToolError('No more seats')
    })
    const { json } = await round(server({ tools: [tool] }))
    expect(json.result).toMatchObject({ isError: true, content: [{ text: 'No more seats' }] })
  })

  test('what nobody waits for does not end the process', async () => {
    const tool = asking({ sure, page }, async (input) => {
      void input.page({ message: 'x', url: 'https://a.example' })
      return await input.sure({ message: 'x' })
    })
    const { json } = await round(server({ tools: [tool] }))
    expect(Object.keys(json.result.inputRequests as object)).toEqual(['page', 'sure'])
  })

  test('`around` runs each round, and cannot turn a question into a result', async () => {
    const seen: string[] = []
    const on = server({
      tools: [asking({ sure }, (input) => input.sure({ message: 'x' }))],
      around: [
        async ({ name }, next) => {
          try {
            const value = await next()
            seen.push(`${name} returned`)
            return value
          } catch {
            seen.push(`${name} asked`)
            return 'swallowed'
          }
        },
      ],
    })
    expect(returned(await next(on, await round(on), { sure: yes }))).toEqual(yes)
    expect(seen).toEqual(['ask asked', 'ask returned'])
  })

  test('G-134 arguments are checked in every round, and the state before them', async () => {
    const on = server({ tools: [asking({ sure }, (input) => input.sure({ message: 'x' }))] })
    const wrong = await round(on, { params: { arguments: { n: 'x' } } })
    expect(wrong.json.result.isError).toBe(true)
    const tampered = await round(on, { params: { arguments: { n: 'x' }, requestState: 'x' } })
    expect(tampered.json.error.code).toBe(-32602)
  })

  test('16 rounds are the most', async () => {
    let asked = 0
    const tool = asking({ sure }, (input) => (asked++, input.sure({ message: 'x' })))
    const on = server({ tools: [tool] })
    let told = await round(on)
    while (told.json.error === undefined) told = await next(on, told, {})
    expect(told.json.error.code).toBe(-32602)
    expect(asked).toBe(17)
  })
})

describe('what a handler leaves', () => {
  test('comes back in the next round, as it was when the run was given up', async () => {
    const tool = asking({ sure, page }, async (input) => {
      const before = input.state.get()
      if (before === undefined) input.state.set({ price: 5 })
      await input.sure({ message: 'x' }).finally(() => input.state.set('too late'))
      return before
    })
    const on = server({ tools: [tool] })
    expect(returned(await next(on, await round(on), { sure: yes }))).toEqual({ price: 5 })
  })

  test.each([
    ['a function', () => undefined],
    ['more than 4 KiB', 'x'.repeat(4095)],
    ['a bigint', 1n],
  ])('%s is refused', async (_name, value) => {
    const tool = asking({ sure }, (input) => {
      expect(() => input.state.set(value)).toThrow()
    })
    await round(server({ tools: [tool] }))
    expect.assertions(1)
  })

  test('answers that are too long to be carried are refused', async () => {
    const words = form(z.object({ words: z.string() }))
    const tool = asking({ words, sure }, async (input) => {
      await input.words({ message: 'x' })
      await input.sure({ message: 'x' })
    })
    const on = server({ tools: [tool] })
    const long = { words: { action: 'accept', content: { words: 'x'.repeat(13_000) } } }
    expect((await next(on, await round(on), long)).json.error.code).toBe(-32602)
  })
})

describe('prompts and resources', () => {
  const run = async (_input: unknown, { input }: HandlerContext) => {
    const { sure: asks } = input as { sure: (given: object) => Promise<unknown> }
    return JSON.stringify(await asks({ message: 'Sure?' }))
  }
  const on = server({
    prompts: [
      handle(definePrompt({ name: 'p', arguments: z.object({ a: z.string() }), inputs: { sure } }), run),
    ],
    resources: [
      handle(defineResource({ name: 'r', uri: 'a:b', inputs: { sure } }), run),
      handle(defineResourceTemplate({ name: 't', uriTemplate: 'a://{id}', inputs: { sure } }), run),
    ],
  })
  const _meta = meta({ 'io.modelcontextprotocol/clientCapabilities': allOfThem })

  test.each([
    ['prompts/get', { name: 'p', arguments: { a: 'x' } }],
    ['resources/read', { uri: 'a:b' }],
    ['resources/read', { uri: 'a://7' }],
  ])('MR-10 TRAP-9 %s %j asks and goes on, and the question is not cacheable', async (method, target) => {
    const one = await ask(on, method, { ...target, _meta })
    expect(Object.keys(one.json.result as object)).toEqual([
      'resultType',
      'inputRequests',
      'requestState',
      '_meta',
    ])
    const { requestState } = one.json.result as { requestState: string }
    const two = await ask(on, method, { ...target, _meta, requestState, inputResponses: { sure: yes } })
    expect(two.json.result.resultType).toBe('complete')
    expect(JSON.stringify(two.json.result)).toContain('accept')
  })

  test('hideUnauthorized: what is hidden is unknown, whatever state comes along', async () => {
    const scoped = asking({ sure }, (input) => input.sure({ message: 'x' }))
    const hidden = { ...scoped, definition: { ...scoped.definition, scopes: ['admin'] } }
    const guarded = server({ tools: [hidden], authenticated: true, hideUnauthorized: true })
    const params = { requestState: 'x', inputResponses: { sure: 5 }, name: 'ask' }
    const absent = { ...params, name: 'none' }
    const one = await round(guarded, { params, who: principal([]) })
    const other = await round(guarded, { params: absent, who: principal([]) })
    expect(one.json.error.message.replace('ask', 'none')).toBe(other.json.error.message)
    expect({ ...one.json.error, message: '' }).toEqual({ ...other.json.error, message: '' })
  })
})
