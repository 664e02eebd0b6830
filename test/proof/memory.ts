/**
 * One server keeps no memory of the calls it answered: after 100,000 authenticated calls, 2,000 that were aborted and
 * 10,000 tokens never seen before, the heap is back where it was, give or take what is written in `bound`.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from 'castellan'
import mcp, { handle } from 'castellan/fastify'
import { jwtResourceServer } from 'castellan/resource-server'
import { testAuthorizationServer } from 'castellan/testing'
import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { inParallel, toolCaller } from './load/call.js'

const isShort = process.env['PROOF_SHORT'] === '1'
const share = isShort ? 0.1 : 1
const calls = 100_000 * share
const abortions = 2_000 * share
const tokens = 10_000 * share
/** Bytes of heap and of buffers outside it. One byte kept per call would be 0.1 MB, one request object 100 MB. */
const bound = isShort ? 800_000 : 1_500_000
const connections = 16
const resource = 'https://api.example.com/mcp'
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`

let begun = 0
let abandoned = 0
let onBegin: () => void = () => undefined

/** Resolves when the caller is gone. */
function abandonment(signal: AbortSignal): Promise<string> {
  begun += 1
  onBegin()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      abandoned += 1
      resolve('nobody listens')
    })
  })
}

const scopes = ['notes:read']
const echo = defineTool({
  name: 'echo',
  description: 'Answers',
  output: z.object({ subject: z.string() }),
  scopes,
})
const wait = defineTool({ name: 'wait', description: 'Waits to be abandoned', scopes })
const report = defineTool({ name: 'report', description: 'Reports, then waits to be abandoned', scopes })

const authorization = await testAuthorizationServer()
const { issuer } = authorization
// The cache holds as many tokens as one round brings, so that each round fills it anew.
const auth = jwtResourceServer({ resource, issuer, maxCachedTokens: tokens, allowLoopbackHttp: true })
const app = Fastify()
await app.register(mcp, {
  ...{ path: '/mcp', name: 'memory', version: '1.0.0', auth },
  tools: [
    handle(echo, (_input, { principal }) => ({ subject: principal.subject })),
    handle(wait, (_input, { signal }) => abandonment(signal)),
    handle(report, async (_input, { signal, progress }) => {
      await progress({ progress: 1 })
      return abandonment(signal)
    }),
  ],
})
await app.listen({ port: 0, host: '127.0.0.1' })
const caller = toolCaller(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`, connections)

/** The authorization server is in this process too, and must not remember its tokens. */
async function mint(subject: string): Promise<string> {
  const token = await authorization.mint({ resource, scopes, subject, expiresInSeconds: 80_000 })
  authorization.revoke(token)
  return token
}

async function answered(count: number, token: (n: number) => string | Promise<string>): Promise<void> {
  await inParallel(count, connections, async (n) => {
    const { status, text } = await caller.call(await token(n), 'echo')
    assert.equal(status, 200, text)
  })
}

/** Half of them wait silently, half are in the middle of an event stream. */
async function aborted(count: number, token: string): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const controller = new AbortController()
    const hasBegun = new Promise<void>((resolve) => (onBegin = resolve))
    const options = { signal: controller.signal, ...(n % 2 === 0 && { progressToken: n }) }
    const outcome = caller.call(token, n % 2 === 0 ? 'report' : 'wait', options).then(
      () => 'answered',
      () => 'aborted',
    )
    await hasBegun
    controller.abort()
    assert.equal(await outcome, 'aborted')
  }
}

async function settled(): Promise<number> {
  assert.ok(globalThis.gc, 'Needs --expose-gc, as npm run proof gives it')
  let least = Infinity
  for (let n = 0; n < 10; n += 1) {
    await sleep(50)
    globalThis.gc()
    const { heapUsed, external } = process.memoryUsage()
    least = Math.min(least, heapUsed + external)
  }
  return least
}

/** The same traffic in both rounds, only longer in the second: what code and caches need is there before it. */
async function round(name: string, counts: { calls: number; abortions: number }): Promise<void> {
  const [first, second] = await Promise.all([mint(`${name}-first`), mint(`${name}-second`)])
  await answered(counts.calls, (n) => (n % 2 === 0 ? first : second))
  await aborted(counts.abortions, first)
  await answered(tokens, (n) => mint(`${name}-${n}`))
}

const empty = await settled()
await round('warm', { calls: 5_000, abortions: 100 })
const baseline = await settled()
console.log(
  `${megabytes(empty)} at the start, ${megabytes(baseline)} warm, with ${tokens} tokens in the cache`,
)
await round('proof', { calls, abortions })
const after = await settled()

assert.equal(begun, abandoned, 'A handler was not told that its caller had gone')
assert.equal(begun, abortions + 100)
await caller.close()
await app.close()
await auth.close()
await authorization.close()
console.log(
  `${calls} calls, ${abortions} aborted ones, ${tokens} new tokens; ${abandoned} handlers saw their abort`,
)
console.log(`${megabytes(after - baseline)} more than before, ${megabytes(bound)} allowed`)
if (after - baseline > bound) process.exitCode = 1
