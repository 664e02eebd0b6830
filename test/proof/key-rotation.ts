/**
 * Keys rotate each second under the load of 200 clients, without a restart and without turning away a good token: 30
 * rotations that keep the key before, 3 outages of the authorization server (one short, one with a rotation in it, one
 * longer than keys may live). No good token is ever refused, and 503 comes only in an outage, for keys that are not in
 * memory or too old.
 *
 * The resource server's clock runs 45 times faster than the wall, since an unknown key causes one read in 30 s.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from 'castellan'
import mcp, { handle } from 'castellan/fastify'
import { testAuthorizationServer, type Fault } from 'castellan/testing'
import Fastify from 'fastify'
import { decodeProtectedHeader } from 'jose'
import type { AddressInfo } from 'node:net'
import { jwtResourceServerAt } from '../../src/resource-server/jwt/jwt-resource-server.js'
import { toolCaller } from './load/call.js'
import { OutageLog } from './load/outage-log.js'

const isShort = process.env['PROOF_SHORT'] === '1'
const rotations = isShort ? 6 : 30
const speed = 45
const clients = 200
/** Longer than the 30 s in which an unknown key causes one read. */
const betweenRotations = 45_000
const keyLifetime = 600_000
const resource = 'https://api.example.com/mcp'
const scopes = ['notes:read']

const start = Date.now()
const now = () => start + (Date.now() - start) * speed
const pass = (milliseconds: number) => sleep(milliseconds / speed)
async function until(what: string, condition: () => boolean): Promise<void> {
  const patience = Date.now() + 30_000
  while (!condition()) {
    assert.deepEqual(log.faults.slice(0, 3), [], 'Good tokens were answered wrongly')
    assert.ok(Date.now() < patience, `In half a minute it did not happen that ${what}`)
    await sleep(5)
  }
}

const authorization = await testAuthorizationServer()
const options = { resource, issuer: authorization.issuer, allowLoopbackHttp: true }
const auth = jwtResourceServerAt(options, { now, random: Math.random })
const app = Fastify()
const tool = defineTool({ name: 'whoami', description: 'Says who calls', scopes })
await app.register(mcp, {
  ...{ path: '/mcp', name: 'rotation', version: '1.0.0', auth },
  tools: [handle(tool, (_input, { principal }) => principal.subject)],
})
await app.listen({ port: 0, host: '127.0.0.1' })
const caller = toolCaller(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`, clients)

interface Token {
  readonly text: string
  readonly kid: string
}

const log = new OutageLog()
const rounds = new Array<number>(clients).fill(0)
let kept: Token[] = []
let isOver = false
let subjects = 0
/** The keys in memory were read after this moment. */
let keysReadAfter = now()

async function freshToken(): Promise<Token> {
  subjects += 1
  const text = await authorization.mint({
    resource,
    scopes,
    subject: `user-${subjects}`,
    expiresInSeconds: 80_000,
  })
  return { text, kid: decodeProtectedHeader(text).kid! }
}

/** Calls without a pause: every third time with a token never seen before, else with one of either published key. */
async function work(client: number): Promise<void> {
  while (!isOver) {
    const repeated = rounds[client]! % 3 === 0 ? undefined : kept[Math.floor(Math.random() * kept.length)]
    const token = repeated ?? (await freshToken())
    const sentAt = now()
    const { status, challenge, retryAfter } = await caller.call(token.text, 'whoami')
    log.record({ status, kid: token.kid, sentAt, receivedAt: now() })
    if (status === 503 && (challenge !== undefined || !(Number(retryAfter) >= 1))) {
      log.faults.push('A 503 with a challenge, or without a time to come back')
    }
    rounds[client]! += 1
    if (status === 503) await sleep(2)
  }
}

/** Every client has finished what it was doing and begun anew. */
async function everyClientTurned(): Promise<void> {
  const before = [...rounds]
  await until('all clients go on', () => rounds.every((count, client) => count > before[client]! + 1))
}

const presentKid = () => authorization.publishedKeys()[0]!.kid!

/** Signs with a new key from now on. Tokens of the key that goes are given up first: they are good no more. */
async function rotate(): Promise<void> {
  const staying = presentKid()
  kept = kept.filter(({ kid }) => kid === staying)
  await everyClientTurned()
  await authorization.rotateKeys({ keepOld: true })
  kept = [...kept, ...(await Promise.all(Array.from({ length: 20 }, freshToken)))]
}

const known = () => until('the new key is known', () => log.isKnown(presentKid()))

async function outage(fault: Fault, during: () => Promise<void>): Promise<void> {
  const ends = [authorization.fault('jwks', fault), authorization.fault('metadata', fault)]
  const entry = log.begin(now(), keysReadAfter + keyLifetime)
  await during()
  for (const end of ends) end()
  entry.ends = now()
}

async function rotateWithOutages(): Promise<void> {
  for (let n = 1; n <= rotations; n += 1) {
    const rotatedAt = now()
    if (n === Math.ceil(rotations / 2)) {
      await outage('disconnect', async () => {
        await rotate()
        await pass(betweenRotations)
      })
    } else await rotate()
    await known()
    keysReadAfter = rotatedAt
    await pass(betweenRotations)
    if (n === 2) await outage('outage', () => pass(betweenRotations))
    if (n === rotations - 1) {
      await outage('bad-json', () => pass(1.5 * keyLifetime))
      await pass(betweenRotations)
    }
  }
}

kept = await Promise.all(Array.from({ length: 20 }, freshToken))
const traffic = Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
await known()
await pass(betweenRotations)
await rotateWithOutages()
isOver = true
await traffic
await caller.close()
await app.close()
await auth.close()
await authorization.close()

const { accepted, acceptedInOutages, undecided, undecidedForOldKeys } = log.counts
for (const fault of new Set(log.faults)) console.error(fault)
const minutes = ((now() - start) / 60_000).toFixed(0)
console.log(`${rotations} rotations and ${log.outages.length} outages in ${minutes} minutes of its clock`)
console.log(`${authorization.requests.jwks} reads of keys, ${subjects} tokens minted`)
console.log(`${accepted} accepted, ${acceptedInOutages} of them in outages from keys in memory`)
console.log(`${undecided} answered 503, ${undecidedForOldKeys} of them for keys that had become too old`)
console.log(`${log.faults.length} good tokens answered wrongly`)
const provesSomething = acceptedInOutages > 0 && undecidedForOldKeys > 0 && undecided > undecidedForOldKeys
if (log.faults.length > 0 || !provesSomething) process.exitCode = 1
