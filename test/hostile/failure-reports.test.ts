import { connect, type AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { defineTool, jsonSchema, text, ToolError, WireError } from 'castellan'
import mcp, { handle } from 'castellan/fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { listenGuarded } from '../fastify/guarded.js'
import { listen, type RunningServer } from '../fastify/server.js'
import { meta, modern, post, rawPost } from '../wire.js'
import { exchange } from './answer.js'
import { bytesOf, legacyPost, modernPost, posted, withId } from './request.js'

let release: () => void = () => undefined
let entered: () => void = () => undefined
let left: Promise<unknown> = Promise.resolve()

const slow = handle(defineTool({ name: 'slow', description: 'Waits to be released' }), async () => {
  const released = new Promise<void>((resolve) => (release = resolve))
  entered()
  await released
  return 'slow'
})
const fast = handle(defineTool({ name: 'fast', description: 'Answers at once' }), () => 'fast')
const optional = handle(
  defineTool({
    name: 'optional',
    description: 'Needs nothing',
    input: z.object({ a: z.string().optional() }),
  }),
  ({ a = 'none' }) => a,
)
const failing = handle(
  defineTool({ name: 'failing', description: 'Has an output', output: z.object({ n: z.number() }) }),
  () => {
    throw new ToolError('The shelf is empty')
  },
)
const typed = handle(defineTool({ name: 'typed', description: 'Throws a protocol error' }), () => {
  throw new WireError('ERR_HEADER', 'A message of its own', { why: [1] })
})
const talkative = handle(
  defineTool({ name: 'talkative', description: 'Reports to a caller that leaves' }),
  async (_input, { progress, signal }) => {
    await progress({ progress: 1 })
    left = new Promise((resolve) => signal.addEventListener('abort', resolve))
    entered()
    await left
    for (let step = 2; step < 100; step++) await progress({ progress: step })
    return 'nobody hears this'
  },
)
const patient = handle(
  defineTool({ name: 'patient', description: 'Works on when its caller has left' }),
  async (_input, { signal }) => {
    const released = new Promise<void>((resolve) => (release = resolve))
    left = released.then(() => signal.aborted)
    entered()
    await released
    return 'done'
  },
)
const sameId = [z.string(), z.number()].map((kind, index) => {
  const property = { type: index === 0 ? 'string' : 'number' }
  const schema = {
    $id: 'https://example.com/same',
    type: 'object',
    properties: { v: property },
    required: ['v'],
  }
  const input = jsonSchema<{ v: unknown }>(schema, (value) => {
    const parsed = z.object({ v: kind }).safeParse(value)
    return parsed.success ? { value: parsed.data } : { issues: parsed.error.message }
  })
  return handle(defineTool({ name: `same_${index}`, description: 'Shares an $id', input }), ({ v }) => [
    text(String(v)),
  ])
})

let server: RunningServer
beforeAll(async () => {
  server = await listen({
    tools: [slow, fast, optional, failing, typed, talkative, patient, ...sameId],
    around: [(_call, next) => next(), (_call, next) => next()],
  })
})
afterAll(() => server.app.close())

const connections = () =>
  new Promise<number>((resolve) => server.app.server.getConnections((_error, count) => resolve(count)))

const call = (name: string, args?: unknown) =>
  post(server.url, modern('tools/call', { name, ...(args === undefined ? {} : { arguments: args }) }))

describe('two callers, one id', () => {
  test.each([
    ['2026-07-28', modernPost],
    ['2025-11-25', legacyPost],
  ] as const)('B009 answers of %s never cross, whoever ends first', async (_revision, start) => {
    const entrance = new Promise<void>((resolve) => (entered = resolve))
    const first = exchange(server.port, bytesOf(withId(start('tools/call', { name: 'slow' }), '1')))
    await entrance
    const second = await exchange(server.port, bytesOf(withId(start('tools/call', { name: 'fast' }), '1')))
    release()
    const texts = [...(await first), ...second].map(
      (answer) => JSON.parse(answer.text).result.content[0].text,
    )
    expect(texts).toEqual(['slow', 'fast'])
  })
})

describe('calls', () => {
  test('B019 arguments may be left out where none are required', async () => {
    expect((await call('fast')).json.result.content[0].text).toBe('fast')
    expect((await call('optional')).json.result.content[0].text).toBe('none')
    expect((await call('optional', null)).json.result.content[0].text).toBe('none')
  })

  test('B058 the message and data of a protocol error pass through unchanged, its status does not', async () => {
    const { status, json } = await call('typed')
    expect(status).toBe(200)
    expect(json.error).toEqual({ code: -32020, message: 'A message of its own', data: { why: [1] } })
  })

  test('B067 a failure needs no structured value, in either revision', async () => {
    const expected = { isError: true, content: [{ type: 'text', text: 'The shelf is empty' }] }
    const { json } = await call('failing')
    expect(json.result).toMatchObject(expected)
    expect(json.result).not.toHaveProperty('structuredContent')
    const [older] = await exchange(server.port, bytesOf(legacyPost('tools/call', { name: 'failing' })))
    expect(JSON.parse(older?.text ?? '').result).toEqual(expected)
  })

  test('B066 schemas of one $id stay apart', async () => {
    expect((await call('same_0', { v: 'a' })).json.result.content[0].text).toBe('a')
    expect((await call('same_0', { v: 1 })).json.result.isError).toBe(true)
    expect((await call('same_1', { v: 1 })).json.result.content[0].text).toBe('1')
    expect((await call('same_1', { v: 'a' })).json.result.isError).toBe(true)
  })
})

test('B031 B142 a caller that leaves in the middle hears nothing more and breaks nothing', async () => {
  const entrance = new Promise<void>((resolve) => (entered = resolve))
  const { body, headers } = modern('tools/call', { name: 'talkative', _meta: meta({ progressToken: 1 }) })
  const socket = connect(server.port, '127.0.0.1')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.write(rawPost('/mcp', lines, JSON.stringify(body)))
  await entrance
  socket.destroy()
  await left
  expect((await call('fast')).status).toBe(200)
})

test('B032 LEG-33 an older caller that leaves cancels nothing', async () => {
  const entrance = new Promise<void>((resolve) => (entered = resolve))
  const socket = connect(server.port, '127.0.0.1')
  socket.write(bytesOf(legacyPost('tools/call', { name: 'patient' })))
  await entrance
  const before = await connections()
  socket.destroy()
  await vi.waitFor(async () => expect(await connections()).toBeLessThan(before))
  release()
  expect(await left).toBe(false)
})

test('B140 the answer to a body of 20 MB can be read', async () => {
  const [answer] = await exchange(server.port, bytesOf(posted(Buffer.alloc(20_000_000, 0x20))))
  expect({ status: answer?.status, code: JSON.parse(answer?.text ?? '').error.code }).toEqual({
    status: 413,
    code: -32600,
  })
})

test('B083 A42 a resource with a trailing slash keeps it, in the document and in its place', async () => {
  const resource = 'https://api.example.com/mcp/'
  const auth = jwtResourceServer({ resource, issuer: 'https://login.example.com' })
  const { app, port } = await listen({ auth })
  const place = `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp/`
  const answer = await fetch(place)
  expect(await answer.json()).toMatchObject({ resource })
  expect((await fetch(place, { method: 'HEAD' })).status).toBe(200)
  const challenge = (await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST' })).headers.get(
    'www-authenticate',
  )
  expect(challenge).toContain(
    'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp/"',
  )
  await app.close()
  await auth.close()
})

test('B156 no token, argument or query is ever in the log', async () => {
  let log = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log += chunk.toString()
      done()
    },
  })
  const guarded = await listenGuarded({})
  const app = Fastify({ logger: { level: 'trace', stream } })
  const auth = jwtResourceServer({
    resource: 'https://api.example.com/mcp',
    issuer: guarded.as.issuer,
    allowLoopbackHttp: true,
  })
  await app.register(mcp, {
    path: '/mcp',
    name: 'logged',
    version: '1',
    auth,
    basicScopes: ['mcp'],
    tools: [failing],
  })
  const { authorization } = await guarded.bearer()
  const { body, headers } = modern('tools/call', { name: 'failing', arguments: { secret: 'hush' } })
  for (const [url, credentials] of [
    ['/mcp', authorization],
    ['/mcp', `${authorization}x`],
    ['/mcp', 'Basic aHVzaA=='],
    ['/mcp?access_token=hush', authorization],
    ['/mcp?code=hush&state=hush', authorization],
  ] as const)
    await app.inject({
      method: 'POST',
      url,
      headers: { ...headers, authorization: credentials },
      payload: body as object,
    })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  await exchange(port, bytesOf({ ...modernPost('tools/list'), target: '/mcp#access_token=hush' }))
  expect(log).toContain('Request rejected')
  expect(log).not.toMatch(/hush|aHVzaA|eyJ/)
  await app.close()
  await auth.close()
  await guarded.stop()
})
