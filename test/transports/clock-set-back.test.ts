import { createClient, httpCaller } from 'castellan/client'
import { memoryAuthorizationStore } from 'castellan/store'
import { clientCredentialsTransport, secretBasic } from 'castellan/transports'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { lasts } from '../../src/transports/grant/clock.js'
import { openness } from '../../src/transports/openness.js'
import { whoami } from '../fastify/guarded.js'
import { ask, consented, consentOf, webApp } from './authorization-code/web-app.js'
import { client, protectedServer } from './protected-server.js'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => vi.useRealTimers())

const setBack = () => vi.setSystemTime(Date.now() - 120_000)

describe('B104 when the clock is set back by two minutes', () => {
  test('an application gets another token, as nobody knows how old its own is', async () => {
    const server = await protectedServer()
    const transport = clientCredentialsTransport({
      endpoint: server.endpoint,
      registration: secretBasic({ ...client, issuer: server.as.issuer, allowLoopbackHttp: true }),
      store: memoryAuthorizationStore(),
      allowLoopbackHttp: true,
    })
    const job = createClient(httpCaller({ clientInfo: { name: 'job', version: '1.0.0' }, transport }))
    await job.call(whoami.definition, {})
    setBack()
    await job.call(whoami.definition, {})
    await job.call(whoami.definition, {})
    expect(server.as.requests.token).toBe(2)
    await transport.close()
    await server.stop()
  })

  test('the grant of a user is refreshed, in every instance, and no consent comes back', async () => {
    const app = await webApp()
    const consent = app.instance()
    await consented(app, consent)
    setBack()
    for (const instance of [consent, app.instance()]) {
      expect(await ask(instance)).toMatchObject({ subject: 'alice' })
    }
    const grants = app.as.received.map(({ parameters }) => parameters['grant_type'])
    expect(grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1)
    expect(app.as.requests.authorization).toBe(1)
    await app.stop()
  })

  test('a consent that is open is not taken for one that stays open so much longer', async () => {
    const app = await webApp()
    const before = await consentOf(ask(app.instance()))
    setBack()
    const after = await consentOf(ask(app.instance()))
    expect(after.url).not.toBe(before.url)
    await app.stop()
  })

  test('a server that asked for no token is not taken at its word for longer', () => {
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const server = openness()
    expect(server.isOpen()).toBe(false)
    server.note(true)
    expect(server.isOpen()).toBe(true)
    vi.advanceTimersByTime(299_000)
    setBack()
    expect(server.isOpen()).toBe(true)
    vi.advanceTimersByTime(1_001)
    expect(server.isOpen()).toBe(false)
    server.note(true)
    server.note(false)
    expect(server.isOpen()).toBe(false)
  })
})

test.each([
  [300_000, true],
  [1, true],
  [0, false],
  [-1, false],
  [360_000, true],
  [360_001, false],
  [3_600_000, false],
])('what lasts five minutes and ends in %i ms lasts: %s', (ahead, expected) => {
  expect(lasts(1_000_000 + ahead, 300_000, 1_000_000)).toBe(expected)
})
