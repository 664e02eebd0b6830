import { definePrompt, defineResource, defineResourceTemplate, defineTool, user } from 'castellan'
import { handle, memoryChanges } from 'castellan/fastify'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ask, principal, server } from './harness.js'

const tool = (name: string, scopes?: readonly string[]) =>
  handle(defineTool({ name, description: name, ...(scopes === undefined ? {} : { scopes }) }), () => name)

const tools = (count: number) => Array.from({ length: count }, (_, index) => tool(`tool-${index}`))
const names = (answer: { json: any }): string[] =>
  answer.json.result.tools.map(({ name }: { name: string }) => name)

async function walk(on: ReturnType<typeof server>, who?: Parameters<typeof ask>[3]): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const answer = await ask(on, 'tools/list', cursor === undefined ? {} : { cursor }, who)
    seen.push(...names(answer))
    cursor = answer.json.result.nextCursor
  } while (cursor !== undefined)
  return seen
}

describe('pages', () => {
  test('PAGE-3 PAGE-5 cursors resume on another instance, whatever the page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 12 }),
        async (count, pageSize) => {
          const offer = tools(count)
          const [one, other] = [
            server({ tools: offer, pageSize }),
            server({ tools: offer, pageSize: pageSize + 1 }),
          ]
          expect(await walk(one)).toEqual(offer.map(({ definition }) => definition.name))
          const first = await ask(one, 'tools/list')
          const { nextCursor } = first.json.result
          if (nextCursor !== undefined) {
            expect(names(await ask(other, 'tools/list', { cursor: nextCursor }))[0]).toBe(`tool-${pageSize}`)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  test('PAGE-3 B051 B052 any other cursor is invalid, one of another list too', async () => {
    const on = server({
      tools: tools(5),
      pageSize: 2,
      prompts: [definePrompt({ name: 'tool-1', messages: [user('x')] })],
    })
    const known = tools(5).map(({ definition }) => definition.name)
    const { nextCursor } = (await ask(on, 'tools/list')).json.result
    expect((await ask(on, 'prompts/list', { cursor: nextCursor })).json.error.code).toBe(-32602)
    const padded = `${nextCursor}=`
    for (const cursor of ['', padded, 'AAAA', null, 7, {}, []]) {
      expect((await ask(on, 'tools/list', { cursor })).json.error.code, JSON.stringify(cursor)).toBe(-32602)
    }
    const ours = new Set(known.map((name) => Buffer.from(`tools\n${name}`).toString('base64url')))
    await fc.assert(
      fc.asyncProperty(fc.string(), async (cursor) => {
        fc.pre(!ours.has(cursor))
        expect((await ask(on, 'tools/list', { cursor })).json.error.code).toBe(-32602)
      }),
    )
  })

  test('CA-1 CA-3 caching is as configured on all pages', async () => {
    const on = server({ tools: tools(3), pageSize: 2, cache: { tools: { ttlMs: 60_000, scope: 'public' } } })
    const first = (await ask(on, 'tools/list')).json.result
    const second = (await ask(on, 'tools/list', { cursor: first.nextCursor })).json.result
    for (const page of [first, second]) expect(page).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
  })
})

describe('hidden tools', () => {
  const offer = [tool('open'), tool('read', ['read']), tool('write', ['write']), tool('any', [])]
  const hiding = server({
    authenticated: true,
    tools: offer,
    hideUnauthorized: true,
    pageSize: 2,
    cache: { tools: { ttlMs: 5, scope: 'public' } },
  })

  test.each([
    [[], ['open', 'any']],
    [['read'], ['open', 'read', 'any']],
    [
      ['read', 'write'],
      ['open', 'read', 'write', 'any'],
    ],
  ])('B049 a caller with %j sees %j, and never shares it', async (scopes, visible) => {
    expect(await walk(hiding, principal(scopes))).toEqual(visible)
    expect((await ask(hiding, 'tools/list', {}, principal(scopes))).json.result).toMatchObject({
      ttlMs: 5,
      cacheScope: 'private',
    })
  })

  test('A98 what is hidden does not exist, in the same words as what does not', async () => {
    const hidden = await ask(hiding, 'tools/call', { name: 'write' }, principal(['read']))
    const unknown = await ask(hiding, 'tools/call', { name: 'nope' }, principal(['read']))
    expect(hidden.json.error).toEqual({ ...unknown.json.error, message: 'Unknown tool: write' })
    expect((await ask(hiding, 'tools/call', { name: 'write' }, principal(['write']))).kind).toBe('result')
  })

  test('A97 without hiding all tools are listed and the call is forbidden', async () => {
    const on = server({ authenticated: true, tools: offer })
    expect(await walk(on, principal([]))).toHaveLength(4)
    expect((await ask(on, 'tools/call', { name: 'write' }, principal(['read']))).kind).toBe('forbidden')
  })

  test('a request without a principal reaches nothing on an authenticated server', async () => {
    const on = server({ authenticated: true, tools: offer })
    for (const method of ['tools/list', 'server/discover'])
      expect((await ask(on, method)).kind).toBe('forbidden')
    expect((await ask(on, 'tools/call', { name: 'any' })).kind).toBe('forbidden')
  })
})

describe('catalogs for each caller', () => {
  const prompts = [definePrompt({ name: 'hello', messages: [user('hi')] })]
  const resources = [handle(defineResource({ uri: 'a:b', name: 'fixed' }), () => 'x')]

  test('G-92 pages name declared things, in the order of the source, and are private', async () => {
    const on = server({
      authenticated: true,
      tools: tools(3),
      prompts,
      resources,
      catalogs: {
        tools: ({ cursor }, { principal: who }) =>
          cursor === undefined
            ? { names: ['tool-2', who?.subject === 'bob' ? 'tool-1' : 'tool-0'], nextCursor: 'x' }
            : { names: [] },
        resources: () => ({ resources: [{ uri: 'c:d', name: 'mine', size: 3 }] }),
      },
      cache: { tools: { ttlMs: 9, scope: 'public' } },
    })
    expect(names(await ask(on, 'tools/list', {}, principal([])))).toEqual(['tool-2', 'tool-0'])
    const bob = await ask(on, 'tools/list', {}, principal([], 'bob'))
    expect(names(bob)).toEqual(['tool-2', 'tool-1'])
    expect(bob.json.result).toMatchObject({ nextCursor: 'x', ttlMs: 9, cacheScope: 'private' })
    expect(names(await ask(on, 'tools/list', { cursor: 'x' }, principal([])))).toEqual([])
    expect((await ask(on, 'resources/list', {}, principal([]))).json.result.resources).toEqual([
      { uri: 'c:d', name: 'mine', size: 3 },
    ])
    expect((await ask(on, 'tools/call', { name: 'tool-1' }, principal([]))).kind).toBe('result')
    expect((await ask(on, 'tools/list', { cursor: 7 }, principal([]))).json.error.code).toBe(-32602)
  })

  test('G-92 G-93 A98 pages of templates are declared ones too, and a change is one of the resources', async () => {
    const template = (uriTemplate: string, scopes?: string[]) =>
      handle(defineResourceTemplate({ uriTemplate, name: uriTemplate, ...(scopes && { scopes }) }), () => 'x')
    const on = (hideUnauthorized: boolean, uriTemplates = ['b://{id}', 'a://{id}']) =>
      server({
        ...{ authenticated: true, hideUnauthorized, changes: memoryChanges() },
        resources: [template('a://{id}'), template('b://{id}', ['admin']), template('c://{id}')],
        catalogs: { templates: () => ({ uriTemplates, nextCursor: 'x' }) },
        cache: { templates: { ttlMs: 7, scope: 'public' } },
      })
    const listed = async (made: ReturnType<typeof on>) =>
      (await ask(made, 'resources/templates/list', {}, principal([]))).json
    const { result } = await listed(on(false))
    expect(result.resourceTemplates.map(({ uriTemplate }: any) => uriTemplate)).toEqual([
      'b://{id}',
      'a://{id}',
    ])
    expect(result).toMatchObject({ nextCursor: 'x', ttlMs: 7, cacheScope: 'private' })
    expect((await listed(on(true))).result.resourceTemplates).toEqual([
      { uriTemplate: 'a://{id}', name: 'a://{id}' },
    ])
    for (const wrong of [['d://{id}'], ['a://{id}', 'a://{id}']])
      expect((await listed(on(false, wrong))).error.code).toBe(-32603)
    const told = await ask(on(false), 'server/discover', {}, principal([]))
    expect(told.json.result.capabilities).toEqual({ resources: { listChanged: true, subscribe: true } })
  })

  test.each([
    ['an unknown name', () => ({ names: ['nope'] })],
    ['a repeated name', () => ({ names: ['tool-0', 'tool-0'] })],
    ['a failure', () => Promise.reject(new Error('secret-detail'))],
  ])('G-57 %s is the source’s fault and is masked', async (_case, source) => {
    const answer = await ask(server({ tools: tools(1), catalogs: { tools: source } }), 'tools/list')
    expect(answer.json.error).toEqual({ code: -32603, message: 'Internal error' })
  })
})
