import { defineResource, defineResourceTemplate, defineTool, type Extension } from 'castellan'
import { handle } from 'castellan/fastify'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { meta } from '../wire.js'
import { ask, principal, server, silent } from '../server/harness.js'

const tool = (name: string, scopes: readonly string[]) =>
  handle(defineTool({ name, description: name, scopes }), () => name)

const reports: Extension = {
  id: 'com.example/reports',
  methods: { 'reports/drop': { scopes: ['admin'], run: () => ({}) } },
}
const declares = {
  _meta: meta({
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'com.example/reports': {} } },
  }),
}
const cursorAfter = (name: string) => Buffer.from(`tools\n${name}`).toString('base64url')

describe('things that are hidden', () => {
  const on = server({
    authenticated: true,
    hideUnauthorized: true,
    tools: [tool('open', []), tool('secret', ['admin']), tool('other', [])],
    extensions: [reports],
    route: z.object({ organization: z.enum(['a', 'b']) }),
  })

  async function answer(method: string, params: Record<string, unknown>, organization = 'a') {
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...declares, ...params } }
    const route = { organization }
    return JSON.stringify(
      await on.dispatch(
        { body, id: '1' },
        { principal: principal([]), route, log: silent, signal: () => new AbortController().signal },
      ),
    )
  }

  test('A98 B051 a cursor made of a hidden name is as invalid as any other', async () => {
    const hidden = await answer('tools/list', { cursor: cursorAfter('secret') })
    expect(hidden).toBe(await answer('tools/list', { cursor: cursorAfter('nope') }))
    expect(hidden).toContain('The cursor is not valid')
    expect(await answer('tools/list', { cursor: cursorAfter('open') })).toContain('other')
  })

  test.each(['a', 'elsewhere'])('A98 a hidden tool is told like none at /%s', async (organization) => {
    const hidden = await answer('tools/call', { name: 'secret' }, organization)
    expect(hidden.replace('secret', 'absent')).toBe(
      await answer('tools/call', { name: 'absent' }, organization),
    )
  })

  test.each(['a', 'elsewhere'])('A98 a hidden method is told like none at /%s', async (organization) => {
    const hidden = await answer('reports/drop', {}, organization)
    expect(hidden.replace('drop', 'none')).toBe(await answer('reports/none', {}, organization))
  })
})

test('A98 a catalog for each caller shows nothing that is hidden either', async () => {
  const names = ['open', 'secret']
  const on = (hideUnauthorized: boolean) =>
    server({
      authenticated: true,
      hideUnauthorized,
      tools: [tool('open', []), tool('secret', ['admin'])],
      resources: [
        handle(defineResourceTemplate({ uriTemplate: 'a://{id}', name: 'a', scopes: ['admin'] }), () => 'a'),
      ],
      catalogs: {
        tools: () => ({ names }),
        resources: () => ({ resources: ['a://1', 'b://1'].map((uri) => ({ uri, name: uri })) }),
      },
    })
  const shown = async (hide: boolean, scopes: readonly string[]) => {
    const tools = (await ask(on(hide), 'tools/list', {}, principal(scopes))).json.result.tools
    const { resources } = (await ask(on(hide), 'resources/list', {}, principal(scopes))).json.result
    return [...tools, ...resources].map((item: { name: string }) => item.name)
  }
  expect(await shown(true, [])).toEqual(['open', 'b://1'])
  expect(await shown(true, ['admin'])).toEqual(['open', 'secret', 'a://1', 'b://1'])
  expect(await shown(false, [])).toEqual(['open', 'secret', 'a://1', 'b://1'])
})

describe('methods of extensions', () => {
  test('scopes on one need a resource server', () => {
    expect(() => server({ extensions: [reports] })).toThrow(
      /method reports\/drop declares scopes, but auth is 'none'/,
    )
  })

  test.each(['tools/call', 'tools/list', 'server/discover'])('one cannot take the place of %s', (method) => {
    const taking = { id: 'com.example/taking', methods: { [method]: { run: () => ({}) } } }
    const options = { authenticated: true, tools: [tool('a', ['admin'])] }
    expect(() => server({ ...options, extensions: [taking] })).toThrow(`extension method ${method} is served`)
  })

  test('two extensions cannot serve one method', () => {
    const methods = { 'x/y': { run: () => ({}) } }
    const extensions = [
      { id: 'com.example/a', methods },
      { id: 'com.example/b', methods },
    ]
    expect(() => server({ extensions })).toThrow(/extension method x\/y is served already/)
  })
})

describe('one resource, however its URI is written', () => {
  const on = server({
    authenticated: true,
    resources: [
      handle(defineResource({ uri: 'notes://admin', name: 'admin', scopes: ['admin'] }), () => 'fixed'),
      handle(
        defineResource({ uri: 'notes://Z%C3%BCrich', name: 'zurich', scopes: ['admin'] }),
        () => 'fixed',
      ),
      handle(defineResource({ uri: 'odd://%61', name: 'odd', scopes: ['admin'] }), () => 'fixed'),
      handle(
        defineResourceTemplate({ uriTemplate: 'files://admin/{name}', name: 'own', scopes: ['admin'] }),
        () => 'own',
      ),
      handle(
        defineResourceTemplate({ uriTemplate: 'files://{folder}/{name}', name: 'any', scopes: [] }),
        ({ folder, name }) => `${folder} ${name}`,
      ),
      handle(
        defineResourceTemplate({ uriTemplate: 'notes://{id}', name: 'note', scopes: [] }),
        ({ id }) => id,
      ),
      handle(defineResourceTemplate({ uriTemplate: 'odd://{id}', name: 'odd', scopes: [] }), ({ id }) => id),
    ],
  })

  test.each([
    'notes://admin',
    'notes://%61dmin',
    'notes://%61%64%6D%69%6e',
    'notes://Zürich',
    'notes://Z%C3%BCrich',
    'notes://Z%c3%bcrich',
    'notes://%5A%c3%BCrich',
    'odd://%61',
    'odd://a',
    'files://admin/x',
    'files://%61dmin/x',
    'files://admi%6E/%78',
  ])('A20 %s needs the scopes of the stricter one', async (uri) => {
    expect((await ask(on, 'resources/read', { uri }, principal([]))).kind).toBe('forbidden')
    expect((await ask(on, 'resources/read', { uri }, principal(['admin']))).kind).toBe('result')
  })

  test.each([
    ['notes://b%2525', 'b%25'],
    ['notes://%62', 'b'],
    ['notes://B%C3%BCro', 'Büro'],
    ['notes://Büro', 'Büro'],
    ['files://b%26c/%20', 'b&c  '],
  ])('%s is read as ever, and told as it was asked for', async (uri, text) => {
    const { json } = await ask(on, 'resources/read', { uri }, principal([]))
    expect(json.result.contents).toEqual([{ uri, text }])
  })

  test.each(['notes://%', 'notes://\ud800', 'notes://%e', 'notes://%2e%2E', 'notes://%252e', 'notes://%C3'])(
    'B053 %j finds nothing and breaks nothing',
    async (uri) => {
      const { json } = await ask(on, 'resources/read', { uri }, principal([]))
      expect(json.error?.code ?? json.result.contents[0].text).toSatisfy(
        (told: unknown) => told === -32602 || told === '\ufffd',
      )
    },
  )
})

describe('options of the wrong kind', () => {
  test.each([
    [{ tools: [undefined] }, '`tools`'],
    [{ tools: [defineTool({ name: 'a', description: 'a' })] }, '`tools`'],
    [{ tools: {} }, '`tools`'],
    [{ resources: [null] }, '`resources`'],
    [{ around: [1] }, '`around`'],
    [{ around: {} }, '`around`'],
  ])('%j is refused by name', (options, name) => {
    expect(() => server(options as never)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION', message: expect.stringContaining(name) }),
    )
  })
})
