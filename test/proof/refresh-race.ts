/**
 * Four processes make fifty calls each, at once, on an expired grant whose refresh token rotates: one refresh, nobody is sent
 * to consent, no grant is lost. Then one of them is killed, or its store fails, at every step of the exchange: no refresh token
 * is ever sent twice, no call goes out whose grant is not saved, and the others go on by B112 and B113.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import { once, EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { protectedServer } from '../transports/protected-server.js'
import { age, application, storedGrant, user, webClient, type Outcome } from './grants/application.js'
import { openBackend, servers, type BackendKind } from './grants/backend.js'
import { startWorker, type Worker, type WorkerSetup } from './refresh-race/worker-process.js'

const isShort = process.env['PROOF_SHORT'] === '1'
const rounds = isShort ? 2 : 20
const roundsOfKills = isShort ? 1 : 5
const processes = 4
const calls = 50

const answers = new EventEmitter()
subscribe('http.server.response.finish', (message) => {
  const { request } = message as { request: IncomingMessage }
  if (request.url === '/token') answers.emit('token')
})

/** What may be left of a grant when its keeper is killed or its store fails there, and what that costs. */
const steps = [
  { name: 'killed before pending', stopAt: 'before pending', refreshes: 1, isLost: false },
  { name: 'killed after pending', stopAt: 'after pending', refreshes: 0, isLost: true },
  { name: 'killed after the exchange', stopAt: 'before ready', atAnswer: true, refreshes: 1, isLost: true },
  { name: 'killed before ready', stopAt: 'before ready', refreshes: 1, isLost: true },
  { name: 'killed after ready', stopAt: 'after ready', refreshes: 1, isLost: false },
  { name: 'pending is not saved', failAt: 'before pending', refreshes: 1, isLost: false },
  { name: 'ready is not saved', failAt: 'before ready', refreshes: 1, isLost: true },
] as const
type Case = (typeof steps)[number]

async function prove(kind: BackendKind): Promise<string> {
  await using database = await servers[kind]()
  const server = await protectedServer({ ofUsers: true, server: { clients: [webClient] } })
  const place = { endpoint: server.endpoint, issuer: server.as.issuer }
  const setup = { kind, url: database.url, key: randomBytes(32).toString('base64url') }
  const backend = await openBackend(setup)
  const consent = application(place, backend.store)
  const workers = await Promise.all(
    Array.from({ length: processes }, () => startWorker({ place, backend: setup })),
  )

  const refreshTokens = () =>
    server.as.received.flatMap(({ parameters: { refresh_token: token } }) => token ?? [])
  const dispatched = () => server.seen.filter(({ token }) => token !== undefined).length
  const authorizations = () => server.as.requests.authorization

  async function consented(url: string): Promise<void> {
    await consent.finish(user, await server.as.consent(url))
  }

  /** Runs a part of the proof, and holds what it did against what it may do. */
  async function counted(
    expected: { readonly refreshes: number },
    run: () => Promise<readonly Outcome[]>,
  ): Promise<readonly Outcome[]> {
    await age(backend.store(user), place)
    const before = { refreshes: refreshTokens().length, sent: dispatched(), asked: authorizations() }
    const outcomes = await run()
    assert.equal(refreshTokens().length - before.refreshes, expected.refreshes, 'refreshes')
    assert.equal(new Set(refreshTokens()).size, refreshTokens().length, 'A refresh token was sent twice')
    assert.equal(authorizations(), before.asked, 'Nobody may be sent to consent')
    const done = outcomes.filter(({ result }) => result === 'done').length
    assert.equal(dispatched() - before.sent, done, 'A call went out that is not accounted for')
    return outcomes
  }

  async function ordinaryRound(): Promise<void> {
    const outcomes = await counted({ refreshes: 1 }, () => callAll(workers))
    assert.deepEqual(tally(outcomes), { done: processes * calls })
    assert.equal((await storedGrant(backend.store(user), place))?.state?.type, 'ready')
  }

  /** The first process goes ahead to where it is stopped; the others come while it stands there, or has failed. */
  async function interruptedRound(step: Case): Promise<void> {
    const { name, refreshes, isLost, ...where } = step
    const doomed = await startWorker({ place, backend: setup, ...where } satisfies WorkerSetup)
    const others = workers.slice(1)
    const outcomes = await counted({ refreshes }, async () => {
      const answered = 'atAnswer' in where ? once(answers, 'token') : undefined
      await doomed.begin(calls)
      if ('failAt' in where) {
        const failed = await doomed.outcomes()
        assert.deepEqual(tally(failed), { ERR_STORE_UNAVAILABLE: calls }, name)
        return callAll(others)
      }
      await (answered ?? doomed.stopped())
      await Promise.all(others.map((other) => other.begin(calls)))
      await doomed.kill()
      return (await Promise.all(others.map((other) => other.outcomes()))).flat()
    })
    await doomed.kill()
    const all = (processes - 1) * calls
    assert.deepEqual(tally(outcomes), isLost ? { ERR_CONSENT_REQUIRED: all } : { done: all }, name)
    if (isLost) await recover(outcomes, others)
    assert.equal((await storedGrant(backend.store(user), place))?.state?.type, 'ready')
  }

  /** All were sent to one place; after it everybody goes on. */
  async function recover(outcomes: readonly Outcome[], others: readonly Worker[]): Promise<void> {
    const [url, ...further] = new Set(outcomes.map((outcome) => outcome.url))
    assert.deepEqual(further, [])
    await consented(url!)
    assert.deepEqual(tally(await callAll(others)), { done: others.length * calls })
  }

  try {
    await consented((await consent.begin(user)).url)
    for (let round = 0; round < rounds; round += 1) await ordinaryRound()
    const tokens = refreshTokens().length
    for (let round = 0; round < roundsOfKills; round += 1) {
      for (const step of steps) await interruptedRound(step)
    }
    const interrupted = roundsOfKills * steps.length
    return `${kind}: ${rounds} rounds of ${processes} × ${calls} calls, ${tokens} refreshes, 0 consents; ${interrupted} interrupted rounds, 0 refresh tokens sent twice, 0 calls without a saved grant`
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
    await consent.close()
    await backend.close()
    await server.stop()
  }
}

async function callAll(workers: readonly Worker[]): Promise<readonly Outcome[]> {
  await Promise.all(workers.map((worker) => worker.begin(calls)))
  return (await Promise.all(workers.map((worker) => worker.outcomes()))).flat()
}

function tally(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { result } of outcomes) counts[result] = (counts[result] ?? 0) + 1
  return counts
}

for (const kind of Object.keys(servers) as BackendKind[]) console.log(await prove(kind))
