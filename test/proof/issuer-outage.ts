/**
 * An authorization server fails in every way, when it is asked for keys and when it is asked about tokens: stopped,
 * silent, dripping, answering 500, redirecting, without end, malformed. Good tokens are answered 503 without a challenge
 * and with a time to come back, the server is left alone as its back-off says, nobody waits longer than is written, and
 * everything is accepted again when the outage is over.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from 'castellan'
import mcp, { handle } from 'castellan/fastify'
import {
  introspectionResourceServer,
  jwtResourceServer,
  secretBasic,
  type ResourceServer,
} from 'castellan/resource-server'
import { testAuthorizationServer, type Fault, type TestAuthorizationServer } from 'castellan/testing'
import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import { toolCaller, type CallAnswer, type ToolCaller } from './load/call.js'
import { gateTo, type Gate } from './load/gate.js'

/** Longer than an answer is awaited. */
const outageSeconds = process.env['PROOF_SHORT'] === '1' ? 7 : 20
const clients = 10
const resource = 'https://api.example.com/mcp'
const failures = ['stopped', 'hang', 'slow', 'outage', 'redirect', 'huge', 'bad-json'] as const
const kinds = ['keys', 'introspection'] as const
type Failure = (typeof failures)[number]
type Kind = (typeof kinds)[number]

/** An answer is awaited for 5 s at most; the rest is for a busy machine. */
const longestWait = 5_000 + 3_000
/** Most of the time from one try to the next. */
const longestBackOff = 30_000

/** One try at the start, and one after each wait of 1, 2, 4, 8, 16, 24, 24 … seconds. */
function tries(seconds: number): number {
  let count = 1
  for (let wait = 1, at = 1; at <= seconds; wait = Math.min(24, 2 * wait), at += wait) count += 1
  return count
}

/** Introspection stops after five failures in a row, and all clients may be asking when the fifth comes. */
const mostRequests = (kind: Kind, seconds: number) =>
  kind === 'keys' ? tries(seconds) : clients + 4 + tries(seconds)

function resourceServer(kind: Kind, as: TestAuthorizationServer, { origin }: Gate): ResourceServer {
  const options = { resource, allowLoopbackHttp: true }
  const { issuer } = as
  if (kind === 'keys') return jwtResourceServer({ ...options, issuer, jwksUri: `${origin}/jwks` })
  const client = { clientId: 'test-client', clientSecret: 'test-secret', allowLoopbackHttp: true }
  const registration = secretBasic({ issuer, ...client })
  return introspectionResourceServer({ ...options, registration, endpoint: `${origin}/introspect` })
}

async function begin(failure: Failure, kind: Kind, as: TestAuthorizationServer, gate: Gate) {
  if (failure === 'stopped') {
    await gate.shut()
    return () => gate.open()
  }
  const end = as.fault(kind === 'keys' ? 'jwks' : 'introspection', failure satisfies Fault)
  return (): Promise<void> => {
    end()
    return Promise.resolve()
  }
}

interface Report {
  readonly faults: string[]
  undecided: number
  accepted: number
  longest: number
}

function judge(report: Report, { status, challenge, retryAfter, text }: CallAnswer, isOutage: boolean): void {
  if (status === 200) report.accepted += 1
  else report.undecided += 1
  if (status === 200 && isOutage) report.faults.push('accepted a token nobody could vouch for')
  if (status === 200) return
  if (status !== 503) report.faults.push(`${status} for a good token`)
  if (challenge !== undefined) report.faults.push('a challenge in an outage')
  if (!(Number(retryAfter) >= 1 && Number(retryAfter) <= 30)) report.faults.push('no time to come back')
  if (text !== '') report.faults.push('a body beside 503')
}

/** Calls until told to stop; `state` says whether the outage lasts. */
async function call(
  caller: ToolCaller,
  mint: () => Promise<string>,
  state: State,
  report: Report,
): Promise<void> {
  while (!state.isOver) {
    const token = await mint()
    const sentAt = performance.now()
    const { isOutage } = state
    const answer = await caller.call(token, 'whoami')
    report.longest = Math.max(report.longest, performance.now() - sentAt)
    judge(report, answer, isOutage && state.isOutage)
    await sleep(20)
  }
}

interface State {
  isOutage: boolean
  isOver: boolean
}

async function prove(kind: Kind, failure: Failure): Promise<Report> {
  const as = await testAuthorizationServer()
  const gate = await gateTo(as.issuer)
  const auth = resourceServer(kind, as, gate)
  const app = Fastify()
  const tool = defineTool({ name: 'whoami', description: 'Says who calls', scopes: [] })
  const tools = [handle(tool, (_input, { principal }) => principal.subject)]
  await app.register(mcp, { path: '/mcp', name: 'outage', version: '1.0.0', auth, tools })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const caller = toolCaller(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`, clients)
  const report: Report = { faults: [], undecided: 0, accepted: 0, longest: 0 }
  const state = { isOutage: true, isOver: false }
  const seen = () => as.requests[kind === 'keys' ? 'jwks' : 'introspection']

  const end = await begin(failure, kind, as, gate)
  const mint = async () => (kind === 'keys' ? as.mint({ resource }) : as.mintOpaque({ resource }))
  const begunAt = performance.now()
  const calling = Promise.all(Array.from({ length: clients }, () => call(caller, mint, state, report)))
  await sleep(outageSeconds * 1000)
  state.isOutage = false
  const asked = seen()
  const lasted = (performance.now() - begunAt) / 1000
  await end()
  if (report.undecided === 0) report.faults.push('nobody was told of the outage')
  if (asked > mostRequests(kind, lasted)) report.faults.push(`${asked} requests in ${lasted.toFixed(1)} s`)
  await recovered(report)
  state.isOver = true
  await calling
  if (report.longest > longestWait) report.faults.push(`somebody waited ${report.longest.toFixed(0)} ms`)
  await caller.close()
  await app.close()
  await auth.close()
  await gate.shut()
  await as.close()
  console.log(
    `${kind} ${failure}: ${asked} requests in the outage, ${report.undecided} answers of 503, ${report.accepted} accepted afterwards, ${report.longest.toFixed(0)} ms the longest wait`,
  )
  return report
}

/** Waits for the next try, then wants a hundred answers that are all good. */
async function recovered(report: Report): Promise<void> {
  const patience = performance.now() + longestBackOff + longestWait
  while (report.accepted === 0 && performance.now() < patience) await sleep(20)
  if (report.accepted === 0) {
    report.faults.push('nothing was accepted after the outage')
    return
  }
  const { undecided, accepted } = report
  while (report.accepted < accepted + 100) await sleep(20)
  if (report.undecided > undecided + clients) report.faults.push('503 after a token was accepted again')
}

const cases = kinds.flatMap((kind) => failures.map((failure) => ({ kind, failure })))
const reports = await Promise.all(
  cases.map(async ({ kind, failure }) => ({ kind, failure, ...(await prove(kind, failure)) })),
)
for (const { kind, failure, faults } of reports)
  for (const fault of new Set(faults)) console.error(`${kind} ${failure}: ${fault}`)
const wrong = reports.reduce((sum, { faults }) => sum + faults.length, 0)
console.log(`${reports.length} outages of ${outageSeconds} s, ${wrong} wrong answers`)
if (wrong > 0) process.exitCode = 1
