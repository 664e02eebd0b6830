import { describe, expect, test, vi } from 'vitest'
import { createClient } from '../../../src/client/typed/client.js'
import { echoTool, failure, gives, says, scripted, tools } from './script.js'

const call = { tool: 'echo', arguments: { text: 'a' } }
const page = (entries: unknown, more: object = {}) =>
  gives({ resultType: 'complete', tools: entries, ...more })

async function listed(...pages: ReturnType<typeof gives>[]) {
  const { caller, warnings, of } = scripted({ 'tools/list': pages })
  const names: string[] = []
  for await (const { name } of createClient(caller).tools()) names.push(name)
  return { names, warnings, requests: of('tools/list') }
}

describe('the catalog of tools', () => {
  test.each([
    [60_000, 1],
    [0, 3],
    [-5, 3],
    ['60000', 3],
    [undefined, 3],
    [1.5, 3],
  ])('CA-5, B050: with ttlMs %j three calls list %i times', async (ttlMs, times) => {
    const { caller, of } = scripted({
      'tools/list': page([echoTool], { ttlMs, cacheScope: 'private' }),
      'tools/call': says('ok'),
    })
    for (let count = 0; count < 3; count++) await caller.callTool(call)
    expect(of('tools/list')).toHaveLength(times)
  })

  test('CA-5: an entry is stale once its time is over', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const { caller, of } = scripted({ 'tools/list': tools(echoTool), 'tools/call': says('ok') })
      await caller.callTool(call)
      vi.advanceTimersByTime(59_999)
      await caller.callTool(call)
      expect(of('tools/list')).toHaveLength(1)
      vi.advanceTimersByTime(1)
      await caller.callTool(call)
      expect(of('tools/list')).toHaveLength(2)
    } finally {
      vi.useRealTimers()
    }
  })

  test('CA-7: two callers share nothing', async () => {
    const one = scripted({ 'tools/list': tools(echoTool), 'tools/call': says('ok') })
    const two = scripted({ 'tools/list': tools(), 'tools/call': says('ok') })
    await one.caller.callTool(call)
    await two.caller.callTool(call)
    expect(two.of('tools/list')).toHaveLength(1)
  })

  test('calls at the same time share one look-up, and one that leaves does not stop it', async () => {
    let go: (() => void) | undefined
    const gate = new Promise<void>((resolve) => (go = resolve))
    const { caller, of } = scripted({
      'tools/list': async (request) => {
        await gate
        return tools(echoTool)(request)
      },
      'tools/call': says('ok'),
    })
    const stop = new AbortController()
    const calls = [caller.callTool(call), caller.callTool(call)]
    const leaving = failure(caller.callTool(call, { signal: stop.signal }))
    stop.abort(new Error('left'))
    expect(await leaving).toMatchObject({ message: 'left' })
    go?.()
    await Promise.all(calls)
    expect(of('tools/list')).toHaveLength(1)
  })

  test('PAGE-1, B051: an empty cursor is followed, null ends', async () => {
    const { names, requests } = await listed(
      page([{ ...echoTool, name: 'a' }], { nextCursor: '' }),
      page([{ ...echoTool, name: 'b' }], { nextCursor: null }),
    )
    expect(names).toEqual(['a', 'b'])
    expect(requests[1]!.params).toHaveProperty('cursor', '')
  })

  test('PAGE-5, B052: a repeated cursor, a repeated name and endless pages are malformed', async () => {
    let count = 0
    const endless = () => ({ tools: [], nextCursor: String(count++) })
    expect(await failure(listed(page([], { nextCursor: 'x' })))).toMatchObject({ kind: 'malformed' })
    expect(await failure(listed(page([echoTool, echoTool])))).toMatchObject({ kind: 'malformed' })
    const { caller } = scripted({ 'tools/list': endless }, { limits: { listPages: 5 } })
    expect(await failure(caller.callTool(call))).toMatchObject({ cause: { kind: 'malformed' } })
    expect(count).toBe(5)
  })

  test('G-100: a list that cannot be read says nothing about the call, which was not sent', async () => {
    for (const answer of [tools(echoTool, echoTool), () => ({ tools: 1 })]) {
      const { caller, of } = scripted({ 'tools/list': answer, 'tools/call': says('ok') })
      const error = await failure(caller.callTool(call))
      expect(error).toMatchObject({ kind: 'internal', cause: { kind: 'malformed' } })
      expect(of('tools/call')).toHaveLength(0)
    }
  })

  test('B149: any number of calls may wait for one list with one signal, without a warning', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const { caller } = scripted({ 'tools/list': tools(echoTool), 'tools/call': says('ok') })
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 30 }, () => caller.callTool(call, { signal })))
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })

  test.each([null, {}, 'x', undefined])('B073: tools %j is malformed', async (entries) => {
    expect(await failure(listed(page(entries)))).toMatchObject({ kind: 'malformed' })
  })

  test('B073, HDR-26: invalid entries are left out one by one, with a warning', async () => {
    const header = (name: unknown, type = 'string') => ({
      name: `bad ${String(name)} ${type}`,
      inputSchema: { type: 'object', properties: { a: { type, 'x-mcp-header': name } } },
    })
    const bad = [
      null,
      { name: 5 },
      { name: 'n', inputSchema: null },
      header(''),
      header('A b'),
      header('N', 'number'),
      header(null),
    ]
    const { names, warnings } = await listed(page([...bad, echoTool]))
    expect(names).toEqual(['echo'])
    expect(warnings).toHaveLength(bad.length)
    expect(warnings[3]).toContain('x-mcp-header')
  })

  test('HDR-26: a tool that was left out cannot be called, and the reason is told', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A b' } } }
    const { caller, of } = scripted({ 'tools/list': tools({ name: 'echo', inputSchema }, echoTool2) })
    const error = await failure(caller.callTool(call))
    expect(error).toMatchObject({ kind: 'internal' })
    expect(error.message).toContain('x-mcp-header')
    expect(of('tools/call')).toEqual([])
  })
  const echoTool2 = { ...echoTool, name: 'other' }

  test('B064, B065: a schema that cannot be judged spoils its own tool only', async () => {
    const unusable = [
      { $schema: 'https://json-schema.org/draft/2099-12/schema', type: 'object' },
      { type: 'object', properties: { a: { $ref: 'http://169.254.169.254/' } } },
      { type: 'object', properties: { a: { $ref: '#/$defs/none' } } },
      { type: 'object', properties: { a: { type: 'nonsense' } } },
    ]
    for (const inputSchema of unusable) {
      const { caller, of } = scripted({
        'tools/list': tools({ name: 'bad', inputSchema }, echoTool),
        'tools/call': says('ok'),
      })
      expect(await failure(caller.callTool({ tool: 'bad' }))).toMatchObject({ kind: 'internal' })
      expect(of('tools/call')).toEqual([])
      await caller.callTool(call)
    }
  })
})
