import { describe, expect, test } from 'vitest'
import { RpcError } from '../../../src/client/errors.js'
import { ConsentRequiredError } from '../../../src/transports/errors.js'
import { echoTool, failure, gives, says, scripted, throws, tools } from './script.js'

const call = { tool: 'echo', arguments: { text: 'a' } }
const question = {
  method: 'elicitation/create',
  params: {
    message: 'Sure?',
    requestedSchema: {
      type: 'object',
      properties: {
        ok: { type: 'boolean', default: true },
        mail: { type: 'string', format: 'email' },
        day: { type: 'string', format: 'date' },
      },
      required: ['ok', 'mail'],
    },
  },
}
const page = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Visit', url: 'https://a.example/x' },
}
const asks = (inputRequests: object | undefined, requestState?: string) =>
  gives({
    resultType: 'input_required',
    ...(inputRequests && { inputRequests }),
    ...(requestState !== undefined && { requestState }),
  })
const listed = { 'tools/list': tools(echoTool) }
const accepting = {
  onInput: { form: () => ({ action: 'accept', content: { mail: 'a@b.example' } }) as const },
}

describe('a later round that a transport keeps back', () => {
  test('B2 B14 is told as what it is, since it did not run', async () => {
    const error = new ConsentRequiredError({
      url: 'https://login.example.com/authorize',
      issuer: 'https://login.example.com',
      scopes: [],
    })
    const { caller } = scripted({ ...listed, 'tools/call': [asks(undefined, ''), throws(error)] })
    await expect(caller.callTool(call)).rejects.toBe(error)
  })
})

describe('rounds answered by handlers', () => {
  test('B048 MR-30 to MR-34: answers with defaults, the state byte for byte, a new id, nothing older', async () => {
    const { caller, of } = scripted(
      {
        ...listed,
        'tools/call': [asks({ q: question }, ' state\u00e9 '), asks({ r: question }), says('done')],
      },
      accepting,
    )
    expect(await caller.callTool(call)).toMatchObject({ status: 'complete' })
    const [first, second, third] = of('tools/call')
    expect(new Set([first!.id, second!.id, third!.id]).size).toBe(3)
    const answer = { action: 'accept', content: { ok: true, mail: 'a@b.example' } }
    expect(second!.params).toMatchObject({ requestState: ' state\u00e9 ', inputResponses: { q: answer } })
    expect(third!.params).not.toHaveProperty('requestState')
    expect(third!.params['inputResponses']).toEqual({ r: answer })
    expect(third!.params['arguments']).toEqual(first!.params['arguments'])
  })

  test('MR-30: a state alone is sent back without asking anybody, and an empty one is one', async () => {
    const { caller, of } = scripted({ ...listed, 'tools/call': [asks(undefined, ''), says('done')] })
    await caller.callTool(call)
    expect(of('tools/call')[1]!.params).toMatchObject({ requestState: '' })
    expect(of('tools/call')[1]!.params).not.toHaveProperty('inputResponses')
  })

  test('MR-34: no more than the limit of rounds', async () => {
    const options = { ...accepting, limits: { rounds: 3 } }
    const { caller, of } = scripted({ ...listed, 'tools/call': asks({ q: question }) }, options)
    expect(await failure(caller.callTool(call))).toMatchObject({
      kind: 'unknown',
      cause: { kind: 'malformed' },
    })
    expect(of('tools/call')).toHaveLength(3)
  })

  test.each([
    ['an undeclared mode', { q: page }],
    ['an unknown method', { q: { method: 'sampling/createMessage', params: {} } }],
    ['an unknown mode', { q: { ...page, params: { ...page.params, mode: 'voice' } } }],
    ['mode null', { q: { ...question, params: { ...question.params, mode: null } } }],
    [
      'a form that is not flat',
      {
        q: {
          ...question,
          params: {
            message: 'm',
            requestedSchema: { type: 'object', properties: { a: { type: 'object' } } },
          },
        },
      },
    ],
    ['no form at all', { q: { ...question, params: { message: 'm' } } }],
    ['questions that are no object', []],
  ])('MR-34: %s fails the call here', async (_what, requests) => {
    const { caller, of } = scripted({ ...listed, 'tools/call': asks(requests) }, accepting)
    expect(await failure(caller.callTool(call))).toMatchObject({
      kind: 'unknown',
      cause: { kind: 'malformed' },
    })
    expect(of('tools/call')).toHaveLength(1)
  })

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'relative'])(
    'EL-4: %s is no URL to visit',
    async (url) => {
      const options = { onInput: { url: () => ({ action: 'accept' }) as const } }
      const bad = { q: { ...page, params: { ...page.params, url } } }
      const { caller } = scripted({ ...listed, 'tools/call': asks(bad) }, options)
      expect(await failure(caller.callTool(call))).toMatchObject({ cause: { kind: 'malformed' } })
    },
  )

  test.each([
    ['a value of the wrong type', { ok: 'yes', mail: 'a@b.example' }],
    ['a format that is not met', { mail: 'nobody' }],
    ['a date that does not exist', { mail: 'a@b.example', day: '2026-02-30' }],
    ['a nested value', { mail: 'a@b.example', more: { a: 1 } }],
  ])('EL-6: %s is not sent', async (_what, content) => {
    const options = { onInput: { form: () => ({ action: 'accept', content }) as never } }
    const { caller, of } = scripted({ ...listed, 'tools/call': asks({ q: question }) }, options)
    expect(await failure(caller.callTool(call))).toMatchObject({ cause: { kind: 'internal' } })
    expect(of('tools/call')).toHaveLength(1)
  })

  test('MR-35: declining is an answer, without content', async () => {
    const options = { onInput: { form: () => ({ action: 'decline' }) as const } }
    const { caller, of } = scripted({ ...listed, 'tools/call': [asks({ q: question }), says('ok')] }, options)
    await caller.callTool(call)
    expect(of('tools/call')[1]!.params['inputResponses']).toEqual({ q: { action: 'decline' } })
  })

  test('what a handler throws is the cause; a refusal of a later round is known', async () => {
    const mine = new Error('mine')
    const options = { onInput: { form: () => Promise.reject(mine) } }
    const { caller } = scripted({ ...listed, 'tools/call': asks({ q: question }) }, options)
    expect(await failure(caller.callTool(call))).toMatchObject({ kind: 'unknown', cause: mine })
    const refused = new RpcError(-32602, 'state expired')
    const later = scripted({ ...listed, 'tools/call': [asks({ q: question }), throws(refused)] }, accepting)
    expect(await failure(later.caller.callTool(call))).toBe(refused)
  })

  test('MR-10: prompts and resources may ask too, lists may not', async () => {
    const { caller, of } = scripted(
      {
        'prompts/get': [asks({ q: question }, 's'), gives({ resultType: 'complete', messages: [] })],
        'tools/list': asks({ q: question }),
      },
      accepting,
    )
    await caller.request('prompts/get', { name: 'p' })
    expect(of('prompts/get')[1]!.params).toMatchObject({ name: 'p', requestState: 's' })
    expect(of('prompts/get')[1]!.headers).toEqual({ 'mcp-name': 'p' })
    expect(await failure(caller.request('tools/list'))).toMatchObject({ kind: 'malformed' })
  })
})

describe('rounds the host drives', () => {
  const supporting = { inputSupport: { form: true, url: true } } as const

  test('G-63, G-140: the unfinished call is returned and goes on with the host’s answers', async () => {
    const { caller, of } = scripted(
      { ...listed, 'tools/call': [asks({ q: question, p: page }, 's'), says('done')] },
      supporting,
    )
    const pending = await caller.callTool(call)
    expect(pending).toEqual({
      status: 'input_required',
      requests: { q: question, p: page },
      requestState: 's',
    })
    const inputResponses = { q: { action: 'cancel' }, p: { action: 'accept' } } as const
    await caller.callTool({ ...call, continuation: { requestState: 's', inputResponses } })
    expect(of('tools/call')[1]!.params).toMatchObject({ requestState: 's', inputResponses })
  })

  test('G-140: without host input, continuations and unfinished answers are refused', async () => {
    const { caller, of } = scripted({ ...listed, 'tools/call': asks(undefined, 's') }, supporting)
    const options = { hostInput: false } as const
    const going = { ...call, continuation: { requestState: 's' } }
    expect(await failure(caller.callTool(going, options))).toMatchObject({ kind: 'internal' })
    expect(of('tools/call')).toEqual([])
    expect(await failure(caller.callTool(call, options))).toMatchObject({ kind: 'unknown' })
  })

  test.each([{ a: 1 }, { a: { action: 'yes' } }, { a: { action: 'decline', content: {} } }])(
    'answers of the wrong shape are not sent: %j',
    async (inputResponses) => {
      const { caller, sent } = scripted(listed, supporting)
      const going = { ...call, continuation: { inputResponses: inputResponses as never } }
      expect(await failure(caller.callTool(going))).toMatchObject({ kind: 'internal' })
      expect(sent).toEqual([])
    },
  )

  test('both ways at once are refused', () => {
    expect(() => scripted({}, { ...supporting, ...accepting })).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION' }),
    )
  })
})
