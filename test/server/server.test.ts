import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  ToolError,
  user,
  WireError,
  type Extension,
} from 'castellan'
import { handle } from 'castellan/fastify'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Span } from '../../src/protocol/span.js'
import { meta } from '../wire.js'
import { ask, principal, server } from './harness.js'

const tool = (name: string) =>
  handle(defineTool({ name, description: name, input: z.object({ n: z.number() }) }), ({ n }) => String(n))

describe('definitions', () => {
  test('what stands twice is refused', () => {
    const resource = handle(defineResource({ uri: 'a:b', name: 'x' }), () => 'x')
    const template = handle(defineResourceTemplate({ uriTemplate: 'a://{b}', name: 'x' }), () => 'x')
    const prompt = definePrompt({ name: 'p', messages: [user('x')] })
    expect(() => server({ tools: [tool('a'), tool('a')] })).toThrow(/tool "a" stands twice/)
    expect(() => server({ resources: [resource, resource] })).toThrow(/resource "a:b" stands twice/)
    expect(() => server({ resources: [template, template] })).toThrow(/template "a:\/\/\{b\}" stands twice/)
    expect(() => server({ prompts: [prompt, prompt] })).toThrow(/prompt "p" stands twice/)
  })

  test.each([
    [{ name: '' }, /`name` must not be empty/],
    [{ version: '' }, /`version` must not be empty/],
    [{ pageSize: 0 }, /pageSize/],
    [{ pageSize: 1.5 }, /pageSize/],
    [{ cache: { tools: { ttlMs: -1, scope: 'public' as const } } }, /cache.tools/],
    [{ basicScopes: ['a'] }, /basicScopes/],
    [{ prompts: [definePrompt({ name: 'p' })] }, /neither messages nor a handler/],
    [{ extensions: [{ id: 'reports' }] }, /identifier/],
    [{ extensions: [{ id: 'com.mcp.x/reports' }] }, /identifier/],
  ])('%j is refused', (options, message) => expect(() => server(options)).toThrow(message))

  test('scopes on a server without a resource server are refused', () => {
    const guarded = handle(defineTool({ name: 'x', description: 'x', scopes: [] }), () => 'x')
    expect(() => server({ tools: [guarded] })).toThrow(/tool x declares scopes, but auth is 'none'/)
  })
})

describe('around a call', () => {
  test('the first is outermost, sees the validated call, and may answer itself or change the answer', async () => {
    const seen: unknown[] = []
    const on = server({
      authenticated: true,
      tools: [tool('double')],
      around: [
        async ({ method, name, input, context }, next) => {
          seen.push([method, name, input, context.principal?.subject])
          return `outer(${String(await next())})`
        },
        async (_call, next) => `inner(${String(await next())})`,
      ],
    })
    const answer = await ask(on, 'tools/call', { name: 'double', arguments: { n: 2 } }, principal([]))
    expect(answer.json.result.content[0].text).toBe('outer(inner(2))')
    expect(seen).toEqual([['tools/call', 'double', { n: 2 }, 'alice']])
    await ask(on, 'tools/call', { name: 'double', arguments: { n: 'x' } }, principal([]))
    await ask(on, 'tools/call', { name: 'double', arguments: { n: 2 } })
    expect(seen).toHaveLength(1)
  })

  test('a ToolError thrown around a call speaks to the model', async () => {
    const on = server({
      tools: [tool('x')],
      around: [
        () => {
          throw new ToolError('Not today')
        },
      ],
    })
    const answer = await ask(on, 'tools/call', { name: 'x', arguments: { n: 1 } })
    expect(answer.json.result).toMatchObject({ isError: true, content: [{ text: 'Not today' }] })
  })
})

test('a watcher sees the request and the handler, never arguments', async () => {
  const seen: string[] = []
  const span: Span = (name, subject, work) => {
    seen.push(`${name} ${subject}`)
    return work()
  }
  const on = server({ tools: [tool('x')], span })
  const answer = await ask(on, 'tools/call', { name: 'x', arguments: { n: 1 } })
  expect(answer.json.result.content[0].text).toBe('1')
  expect(seen).toEqual(['mcp.request tools/call', 'mcp.handler x'])
})

describe('extensions', () => {
  const reports: Extension = {
    id: 'com.example/reports',
    settings: { formats: ['csv'] },
    methods: {
      'reports/get': {
        nameParameter: 'report',
        scopes: ['reports'],
        run: ({ report }) => ({ report, lines: 3 }),
      },
      'reports/fail': {
        run: () => {
          throw new WireError('ERR_TARGET', 'No such report', { report: 1 })
        },
      },
    },
  }
  const on = server({ authenticated: true, extensions: [reports] })
  const declared = {
    _meta: meta({
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'com.example/reports': {} } },
    }),
  }

  test('VERS-5 settings are advertised, methods answer', async () => {
    const discovered = await ask(on, 'server/discover', {}, principal([]))
    expect(discovered.json.result.capabilities).toEqual({
      extensions: { 'com.example/reports': { formats: ['csv'] } },
    })
    const answer = await ask(on, 'reports/get', { report: 'r1', ...declared }, principal(['reports']))
    expect(answer.json.result).toMatchObject({ resultType: 'complete', report: 'r1', lines: 3 })
  })

  test('VERS-6 META-6 TRAP-5 a client that did not declare it is told what to declare', async () => {
    const { json } = await ask(on, 'reports/get', { report: 'r1' }, principal(['reports']))
    expect(json.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'com.example/reports': {} } } },
    })
  })

  test('scopes apply, wire errors pass unchanged', async () => {
    expect((await ask(on, 'reports/get', { report: 'r1', ...declared }, principal([]))).kind).toBe(
      'forbidden',
    )
    const { json } = await ask(on, 'reports/fail', declared, principal([]))
    expect(json.error).toEqual({ code: -32602, message: 'No such report', data: { report: 1 } })
  })
})
