/* eslint-disable @typescript-eslint/no-deprecated -- sampling and roots are asked for, too */
import { definePrompt, roots, sampling } from 'castellan'
import { handle } from 'castellan/fastify'
import { describe, expect, test } from 'vitest'
import { ask, server } from '../harness.js'
import { asking, next, page, returned, round, sure, yes } from './asking.js'

const question = {
  messages: [{ role: 'user' as const, content: { type: 'text', text: 'Hi' } }],
  maxTokens: 9,
}

describe('what is asked', () => {
  test('MR-1 MR-2 EL-3 EL-4 SA-2 RT-2 TRAP-25 stands under its name, without an envelope, with a state', async () => {
    const inputs = { sure, page, model: sampling(), where: roots() }
    const tool = asking(inputs, (input) =>
      Promise.all([
        input.sure({ message: 'Sure?' }),
        input.page({ message: 'Look', url: 'https://pay.example.com/1' }),
        input.model(question),
        input.where(),
      ]),
    )
    const { json } = await round(server({ tools: [tool] }))
    expect(json.result).toEqual({
      resultType: 'input_required',
      inputRequests: {
        sure: {
          method: 'elicitation/create',
          params: { mode: 'form', message: 'Sure?', requestedSchema: sure.requestedSchema },
        },
        page: {
          method: 'elicitation/create',
          params: { mode: 'url', message: 'Look', url: 'https://pay.example.com/1' },
        },
        model: { method: 'sampling/createMessage', params: question },
        where: { method: 'roots/list' },
      },
      requestState: expect.any(String) as string,
      _meta: expect.any(Object) as object,
    })
  })

  test('is collected for one turn, and asked one after the other when one needs the other', async () => {
    const tool = asking({ sure, page }, async (input) => {
      const first = await input.sure({ message: 'Sure?' })
      const [second, third] = await Promise.all([
        input.sure({ message: 'Really?', key: 'again' }),
        (async () => {
          await Promise.resolve()
          return input.page({ message: 'Look', url: 'https://a.example' })
        })(),
      ])
      return [first, second, third]
    })
    const on = server({ tools: [tool] })
    const one = await round(on)
    expect(Object.keys(one.json.result.inputRequests as object)).toEqual(['sure'])
    const two = await next(on, one, { sure: yes })
    expect(Object.keys(two.json.result.inputRequests as object)).toEqual(['sure:again', 'page'])
    expect(two.json.result.requestState).not.toBe(one.json.result.requestState)
    const three = await next(on, two, { 'sure:again': { action: 'decline' }, page: { action: 'accept' } })
    expect(returned(three)).toEqual([yes, { action: 'decline' }, { action: 'accept' }])
  })

  test.each([
    ['no message', (input: any) => input.sure({})],
    ['no URL', (input: any) => input.page({ message: 'x', url: 'x' })],
    ['another protocol', (input: any) => input.page({ message: 'x', url: 'javascript:1' })],
    ['credentials in a URL', (input: any) => input.page({ message: 'x', url: 'https://a:b@c.example' })],
    ['a key with a space', (input: any) => input.sure({ message: 'x', key: 'a b' })],
    [
      'the same twice',
      (input: any) => Promise.all([input.sure({ message: 'x' }), input.sure({ message: 'y' })]),
    ],
    ['no tokens', (input: any) => input.model({ messages: [] })],
  ])('EL-4 EL-11 MR-20 %s is the fault of the handler', async (_name, run) => {
    const { json } = await round(server({ tools: [asking({ sure, page, model: sampling() }, run)] }))
    expect(json.error).toEqual({ code: -32603, message: 'Internal error' })
  })
})

describe('answers', () => {
  const on = server({ tools: [asking({ sure, page }, (input) => input.sure({ message: 'Sure?' }))] })

  test.each([
    ['accepted', { sure: yes }, yes],
    ['declined', { sure: { action: 'decline' } }, { action: 'decline' }],
    ['cancelled', { sure: { action: 'cancel' } }, { action: 'cancel' }],
    ['declined, with content', { sure: { action: 'decline', content: { ok: true } } }, { action: 'decline' }],
    ['unknown keys beside', { sure: yes, other: 5, 'sure:x y': 1, toString: 1 }, yes],
    ['unknown fields', { sure: { action: 'accept', content: { ok: true, more: 1 } } }, yes],
  ])('B047 EL-8 MR-3 %s', async (_name, responses, expected) => {
    expect(returned(await next(on, await round(on), responses))).toEqual(expected)
    expect(returned(await round(on, { params: { inputResponses: responses } }))).toEqual(expected)
  })

  test.each([
    ['none', undefined],
    ['null', null],
    ['others', { wrong: yes }],
    ['no content', { sure: { action: 'accept' } }],
    ['wrong content', { sure: { action: 'accept', content: { ok: 'yes' } } }],
    ['content one level too deep', { sure: { action: 'accept', content: { sure: { ok: true } } } }],
  ])('B047 MR-17 %s: it is asked again', async (_name, responses) => {
    const again = await next(on, await round(on), responses)
    expect(Object.keys(again.json.result.inputRequests as object)).toEqual(['sure'])
    expect(returned(await next(on, again, { sure: yes }))).toEqual(yes)
  })

  test.each([
    5,
    [],
    'x',
    { sure: 12345 },
    { sure: null },
    { sure: [] },
    { sure: {} },
    { sure: { action: 'ok' } },
    { sure: { ok: true } },
    { sure: { action: 'accept', content: [] } },
    { page: { action: 1 } },
  ])('B047 MR-17 %j is malformed', async (responses) => {
    const { json } = await next(on, await round(on), responses)
    expect(json.error.code).toBe(-32602)
  })

  test.each([
    [
      'model',
      { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm', stopReason: 'endTurn' },
      true,
    ],
    ['model', { role: 'assistant', content: [{ type: 'text', text: 'x' }], model: 'm' }, true],
    ['model', { role: 'system', content: { type: 'text' }, model: 'm' }, false],
    ['model', { role: 'user', content: { type: 'text' } }, false],
    ['model', { role: 'user', content: 'x', model: 'm' }, false],
    ['where', { roots: [{ uri: 'file:///a', name: 'a' }] }, true],
    ['where', { roots: [] }, true],
    ['where', { roots: [{ uri: 'https://a' }] }, false],
    ['where', {}, false],
  ])('SA-4 RT-2 %s answered by %j', async (name, response, valid) => {
    const tool = asking({ model: sampling(), where: roots() }, (input) =>
      name === 'model' ? input.model(question) : input.where(),
    )
    const one = server({ tools: [tool] })
    const told = await next(one, await round(one), { [name]: response })
    if (valid) expect(returned(told)).toEqual('roots' in response ? response.roots : response)
    else expect(told.json.error.code).toBe(-32602)
  })

  test('MR-17 a decided answer stays as it was sealed', async () => {
    const tool = asking({ sure, page }, async (input) => {
      const first = await input.sure({ message: 'Sure?' })
      await input.page({ message: 'Look', url: 'https://a.example' })
      return first
    })
    const both = server({ tools: [tool] })
    const two = await next(both, await round(both), { sure: { action: 'decline' } })
    const three = await next(both, two, { sure: yes, page: { action: 'accept' } })
    expect(returned(three)).toEqual({ action: 'decline' })
  })
})

describe('what a client cannot be asked', () => {
  const forms = asking({ sure }, (input) => input.sure({ message: 'x' }))
  const pages = asking({ page }, (input) => input.page({ message: 'x', url: 'https://a.example' }))
  const models = asking({ model: sampling() }, (input) => input.model({ ...question, tools: [{}] }))
  const folders = asking({ where: roots() }, (input) => input.where())

  test.each([
    [forms, { elicitation: {} }, true],
    [forms, { elicitation: { form: {} } }, true],
    [forms, { elicitation: { url: {} } }, false],
    [forms, { elicitation: [] }, false],
    [forms, { sampling: {} }, false],
    [pages, { elicitation: { url: {} } }, true],
    [pages, { elicitation: {} }, false],
    [models, { sampling: { tools: {} } }, true],
    [models, { sampling: {} }, false],
    [folders, { roots: { listChanged: true } }, true],
    [folders, {}, false],
  ])('MR-12 EL-1 EL-2 SA-3 TRAP-24 %#', async (tool, capabilities, may) => {
    const { json } = await round(server({ tools: [tool] }), { capabilities })
    expect(json.error?.code ?? json.result.resultType).toBe(may ? 'input_required' : -32021)
  })

  test('MR-12 TRAP-5 B007 all that is lacking is told at once, as an object', async () => {
    const tool = asking({ sure, page, where: roots() }, (input) =>
      Promise.all([
        input.sure({ message: 'x' }),
        input.page({ message: 'x', url: 'https://a.example' }),
        input.where(),
      ]),
    )
    const { json } = await round(server({ tools: [tool] }), { capabilities: { roots: {} } })
    expect(json.error.data).toEqual({ requiredCapabilities: { elicitation: { form: {}, url: {} } } })
  })

  test('MR-12 can be seen before', async () => {
    const tool = asking({ sure, page, where: roots() }, (input) => input.can)
    const told = await round(server({ tools: [tool] }), { capabilities: { elicitation: {} } })
    expect(returned(told)).toEqual({ sure: true, page: false, where: false })
  })

  test('LEG-32 2025-11-25: a tool says so to the model, a prompt by an error; answers and states are not read', async () => {
    const prompt = handle(definePrompt({ name: 'ask', inputs: { sure } }), async (_input, { input }) => {
      return (await input.sure({ message: 'x' })).action
    })
    const on = server({ tools: [forms], prompts: [prompt] })
    const more = { _meta: {}, inputResponses: { sure: yes }, requestState: 'x' }
    const tool = await ask(on, 'tools/call', { name: 'ask', ...more })
    expect(tool.json.result.isError).toBe(true)
    expect(tool.json.result.content[0].text).toContain('2026-07-28')
    const prompted = await ask(on, 'prompts/get', { name: 'ask', ...more })
    expect(prompted.json.error.code).toBe(-32603)
  })
})
