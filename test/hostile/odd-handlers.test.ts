import Fastify from 'fastify'
import mcp from 'castellan/fastify'
import { Writable } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { AddressInfo } from 'node:net'
import { events, meta, modern, post, type WireAnswer } from '../wire.js'
import { oddOffer, oddReturns, oddThrows } from './odd-things.js'

const unhandled: unknown[] = []
const note = (reason: unknown) => void unhandled.push(reason)
const app = Fastify({ logger: { stream: new Writable({ write: (_chunk, _encoding, done) => done() }) } })
let url = ''
beforeAll(async () => {
  process.on('unhandledRejection', note).on('uncaughtException', note)
  await app.register(mcp, { path: '/mcp', name: 'odd', version: '1', auth: 'none', ...oddOffer })
  await app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`
})
afterEach(() => {
  expect(unhandled.splice(0)).toEqual([])
})
afterAll(async () => {
  await app.close()
  process.off('unhandledRejection', note).off('uncaughtException', note)
})

function expectMasked({ status, text, json }: WireAnswer): void {
  expect(status, text).toBe(200)
  expect(json).toMatchObject({ jsonrpc: '2.0', id: 1 })
  expect(text).not.toMatch(/secret-detail|node_modules|file:/)
  const { error } = json
  if (error !== undefined && error.message !== 'Resource not found')
    expect(error).toEqual({ code: -32603, message: 'Internal error' })
}

const ways = [
  ...Object.keys(oddReturns).map((name) => `return:${name}`),
  ...Object.keys(oddThrows).flatMap((name) => [`throw:${name}`, `reject:${name}`]),
]

test.each(ways)('B137 B138 a tool that does %s gets one readable answer', async (how) => {
  for (const name of ['odd', 'odd_value', 'odd_check'])
    expectMasked(await post(url, modern('tools/call', { name, arguments: { how } })))
})

test.each(ways)('B137 B138 a resource, a prompt and a completer that do %s get one', async (how) => {
  expectMasked(await post(url, modern('resources/read', { uri: `notes://odd/${encodeURIComponent(how)}` })))
  expectMasked(await post(url, modern('prompts/get', { name: 'odd', arguments: { how } })))
  for (const ref of [
    { type: 'ref/prompt', name: 'odd' },
    { type: 'ref/resource', uri: 'notes://odd/{how}' },
  ])
    expectMasked(
      await post(url, modern('completion/complete', { ref, argument: { name: 'how', value: how } })),
    )
})

test.each([[[1, 2]], [['x']], [[null, 1, {}]], [[-1, 'NaN', 3]]])(
  'B138 progress %j that nobody waits for crashes nothing',
  async (steps) => {
    const request = modern('tools/call', {
      name: 'odd_progress',
      arguments: { steps },
      _meta: meta({ progressToken: 1 }),
    })
    const { status, text, json } = await post(url, request)
    expect(status).toBe(200)
    const last = json ?? events(text).at(-1)
    expect(last.id).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
  },
)
