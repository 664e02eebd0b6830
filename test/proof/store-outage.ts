/**
 * The store of a web application stops at every step of a call, a consent and a sign-out, and comes back: nobody is sent to
 * consent meanwhile, nothing that is stored is overwritten by anything but what the store took, every error says that it is
 * the store, and the next call goes on from what is stored.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebConsent } from 'castellan/transports'
import { protectedServer } from '../transports/protected-server.js'
import { age, application, call, storedGrant, user, webClient } from './grants/application.js'
import { openBackend, servers, type BackendKind } from './grants/backend.js'
import { watchedStore, type Step } from './grants/watched-store.js'

const isShort = process.env['PROOF_SHORT'] === '1'
const rounds = isShort ? 1 : 5

type State = 'none' | 'aged' | 'pending' | 'ready'
type Errand = 'call' | 'refresh' | 'consent' | 'finish' | 'forget'

interface Outage {
  readonly errand: Errand
  readonly at: Step | 'rest'
  /** What may be stored when the store is back. */
  readonly left: readonly State[]
}

/** A write that the store may have taken as it went leaves either. */
const outages: readonly Outage[] = [
  { errand: 'call', at: 'rest', left: ['ready'] },
  { errand: 'call', at: 'before load', left: ['ready'] },
  { errand: 'refresh', at: 'rest', left: ['aged'] },
  { errand: 'refresh', at: 'before load', left: ['aged'] },
  { errand: 'refresh', at: 'after load', left: ['aged'] },
  { errand: 'refresh', at: 'before pending', left: ['aged'] },
  { errand: 'refresh', at: 'after pending', left: ['pending'] },
  { errand: 'refresh', at: 'before ready', left: ['pending'] },
  { errand: 'consent', at: 'rest', left: ['none'] },
  { errand: 'consent', at: 'after load', left: ['none'] },
  { errand: 'consent', at: 'before put', left: ['none'] },
  { errand: 'consent', at: 'after put', left: ['none'] },
  { errand: 'consent', at: 'before consent', left: ['none'] },
  { errand: 'finish', at: 'rest', left: ['none'] },
  { errand: 'finish', at: 'before take', left: ['none'] },
  { errand: 'finish', at: 'after take', left: ['none'] },
  { errand: 'finish', at: 'before pending', left: ['none'] },
  { errand: 'finish', at: 'after pending', left: ['pending'] },
  { errand: 'finish', at: 'before ready', left: ['pending'] },
  { errand: 'forget', at: 'rest', left: ['ready'] },
  { errand: 'forget', at: 'before load', left: ['ready'] },
  { errand: 'forget', at: 'after load', left: ['ready'] },
]

async function prove(kind: BackendKind): Promise<string> {
  await using database = await servers[kind]()
  const server = await protectedServer({ ofUsers: true, server: { clients: [webClient] } })
  const place = { endpoint: server.endpoint, issuer: server.as.issuer }
  const key = randomBytes(32).toString('base64url')
  const backend = await openBackend({ kind, url: database.url, key })
  const plain = backend.store(user)
  let stopAt: Step | undefined
  const watched = watchedStore(plain, async (step) => {
    if (step !== stopAt) return
    stopAt = undefined
    await database.stop()
  })
  const refreshTokens = () =>
    server.as.received.flatMap(({ parameters: { refresh_token: token } }) => token ?? [])
  const dispatched = () => server.seen.filter(({ token }) => token !== undefined).length

  const instance = () => application(place, () => watched)
  const state = async (): Promise<State> => stateOf(await storedGrant(plain, place))
  const consented = async (app: WebConsent, url: string) => app.finish(user, await server.as.consent(url))

  /** Puts in place what an errand begins with. */
  async function prepare(app: WebConsent, errand: Errand): Promise<string> {
    await app.forget(user)
    const { url } = await app.begin(user)
    if (errand === 'consent') await app.forget(user)
    if (errand === 'consent' || errand === 'finish') return url
    await consented(app, url)
    if (errand === 'refresh') await age(plain, place)
    return url
  }

  async function run(app: WebConsent, errand: Errand, callbackUrl: string): Promise<string> {
    if (errand === 'finish') return outcome(app.finish(user, callbackUrl))
    if (errand === 'forget') return outcome(app.forget(user))
    return (await call(app)).result
  }

  async function outage({ errand, at, left }: Outage): Promise<void> {
    const what = `${kind} stops: ${errand}, ${at}`
    const before = instance()
    const url = await prepare(before, errand)
    const callbackUrl = errand === 'finish' ? await server.as.consent(url) : ''
    await before.close()
    const app = instance()
    const counts = { asked: server.as.requests.authorization, sent: dispatched() }
    if (at === 'rest') await database.stop()
    else stopAt = at
    const result = await run(app, errand, callbackUrl)
    assert.equal(stopAt, undefined, `${what}: it never came to that step`)
    assert.match(result, /^ERR_STORE_(?:UNAVAILABLE|UNCERTAIN|CONFLICT)$/, what)
    const again = (await call(app)).result
    assert.match(again, /^ERR_STORE_UNAVAILABLE$/, `${what}, the next call`)
    assert.deepEqual({ asked: server.as.requests.authorization, sent: dispatched() }, counts, what)
    await database.start()
    const found = await recovered(state)
    assert.ok(left.includes(found), `${what}: ${found} is stored`)
    await goOn(app, found, at === 'after take' || (errand === 'finish' && at === 'before pending'), what)
    await app.close()
  }

  /**
   * The next call works as far as what is stored allows, and after a consent where that is gone. One whose answer was taken
   * and lost is found out by its next answer.
   */
  async function goOn(app: WebConsent, found: State, isTaken: boolean, what: string): Promise<void> {
    const next = await call(app)
    if (found === 'ready' || found === 'aged') {
      assert.equal(next.result, 'done', what)
      return
    }
    assert.equal(next.result, 'ERR_CONSENT_REQUIRED', what)
    if (isTaken) await assert.rejects(consented(app, next.url!), { code: 'ERR_CONSENT' })
    await consented(app, isTaken ? (await call(app)).url! : next.url!)
    assert.equal((await call(app)).result, 'done', what)
  }

  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const each of outages) await outage(each)
    }
    assert.equal(new Set(refreshTokens()).size, refreshTokens().length, 'A refresh token was sent twice')
    return `${kind}: ${rounds * outages.length} outages, 0 consents opened, 0 grants overwritten, 0 refresh tokens sent twice`
  } finally {
    await backend.close()
    await server.stop()
  }
}

function stateOf(record: Awaited<ReturnType<typeof storedGrant>>): State {
  const grant = record?.state
  if (grant?.type !== 'ready') return grant?.type ?? 'none'
  return (grant.expiresAt ?? Infinity) < Date.now() ? 'aged' : 'ready'
}

async function outcome(errand: Promise<void>): Promise<string> {
  return errand.then(
    () => 'done',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  )
}

/** Clients come back in their own time. */
async function recovered<T>(question: () => Promise<T>): Promise<T> {
  const patience = Date.now() + 30_000
  for (;;) {
    try {
      return await question()
    } catch (error) {
      if (Date.now() > patience) throw error
      await sleep(50)
    }
  }
}

for (const kind of Object.keys(servers) as BackendKind[]) console.log(await prove(kind))
