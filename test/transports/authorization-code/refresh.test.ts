import { memoryAuthorizationStore, StoreError, type AuthorizationStore } from 'castellan/store'
import type { Fault, TestAuthorizationServerOptions } from 'castellan/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { grantKey } from '../../../src/transports/grant/grant-binding.js'
import { readGrant, writeGrant } from '../../../src/transports/grant/grant-record.js'
import { ask, consented, consentOf, webApp, write, type WebApp } from './web-app.js'

let app: WebApp
beforeEach(() => start())
afterEach(() => app.stop())

async function start(options?: TestAuthorizationServerOptions): Promise<void> {
  const before = app as WebApp | undefined
  await before?.stop()
  app = await webApp(options)
}

/** Lets the stored token of a user be one that has ended. */
async function expire(): Promise<void> {
  const { issuer, clientId, method } = app.registration()
  const kind = 'authorization_code'
  const binding = { kind, issuer, clientId, method, identity: ['alice'], endpoint: app.endpoint } as const
  const key = grantKey(binding)
  await app.stores.get('alice')!.withCredentials([key], async (records) => {
    const own = records.get(key)!
    const record = readGrant((await own.load())!, binding)
    if (record.state?.type !== 'ready') throw new Error('There is no grant to expire')
    await own.save(writeGrant({ ...record, state: { ...record.state, expiresAt: record.state.obtainedAt } }))
  })
}

const refreshes = () =>
  app.as.received.flatMap(({ parameters }) =>
    parameters['grant_type'] === 'refresh_token' ? [parameters['refresh_token']] : [],
  )

describe('an expired grant', () => {
  test('G65 whose token is being asked for is not lost when all is closed and its user long forgotten', async () => {
    const consent = app.instance()
    await consented(app, consent)
    await expire()
    const answer = app.as.fault('token', 'hang')
    const asked = ask(consent)
    await vi.waitFor(() => expect(refreshes()).toHaveLength(1))
    for (let other = 0; other < 10_001; other += 1) consent.transport(`user-${other}`)
    const closed = consent.close()
    answer()
    await Promise.allSettled([closed, asked])
    expect(await ask(app.instance())).toMatchObject({ subject: 'alice' })
    expect(refreshes()).toHaveLength(1)
  })

  test('B116 F19 D14 is refreshed once for many calls of several instances, without consent', async () => {
    await consented(app, app.instance())
    await expire()
    const instances = [app.instance(), app.instance(), app.instance()]
    await Promise.all(Array.from({ length: 30 }, (_, index) => ask(instances[index % 3]!)))
    expect(refreshes()).toHaveLength(1)
    expect(app.as.requests.authorization).toBe(1)
  })

  test('B115 B118 F22 rotates its refresh token, each used once, across restarts', async () => {
    await consented(app, app.instance())
    for (let times = 0; times < 3; times += 1) {
      await expire()
      expect(await ask(app.instance())).toMatchObject({ subject: 'alice' })
    }
    expect(new Set(refreshes()).size).toBe(3)
  })

  test('B115 keeps a refresh token that does not change', async () => {
    await start({ refreshTokens: 'fixed' })
    await consented(app, app.instance())
    for (let times = 0; times < 2; times += 1) {
      await expire()
      await ask(app.instance())
    }
    expect(refreshes()).toHaveLength(2)
    expect(new Set(refreshes()).size).toBe(1)
  })

  test('B75 B114 F27 names the resource, and scopes only where the server wants them', async () => {
    await consented(app, app.instance())
    await expire()
    await ask(app.instance())
    const quirks = { sendScopeOnRefresh: true }
    await expire()
    await ask(app.instance({ registration: app.registration({ quirks }) }))
    const [plain, named] = app.as.received.slice(2).map(({ parameters }) => parameters)
    expect(plain).toMatchObject({ grant_type: 'refresh_token', resource: app.endpoint })
    expect(plain).not.toHaveProperty('scope')
    expect(named).toMatchObject({ scope: 'mcp', resource: app.endpoint })
  })

  test('without a refresh token needs consent, to everything there was', async () => {
    await start({ refreshTokens: 'none' })
    const consent = app.instance()
    await consented(app, consent)
    const { url } = await consentOf(write(consent))
    await consent.finish('alice', await app.as.consent(url))
    await expire()
    expect((await consentOf(ask(consent))).scopes).toEqual(['mcp', 'notes:read', 'notes:write'])
  })

  test('B6 B114 F23 needs no consent because the resource announces more', async () => {
    await consented(app, app.instance())
    await expire()
    const probes = app.seen.length
    await ask(app.instance())
    expect(app.seen.length - probes).toBe(1)
    expect(app.as.requests.authorization).toBe(1)
  })

  test('B117 is refreshed while its user is in a browser for more, who then comes back', async () => {
    const consent = app.instance()
    await consented(app, consent)
    const { url } = await consentOf(write(consent))
    const callback = await app.as.consent(url)
    await expire()
    expect(await ask(app.instance())).toMatchObject({ scopes: ['mcp'] })
    await consent.finish('alice', callback)
    expect(await write(app.instance())).toBe('written')
  })
})

describe('a token that the resource refuses', () => {
  test('B11 D14 five stale 401s in several instances make one refresh', async () => {
    await consented(app, app.instance())
    const instances = [app.instance(), app.instance()]
    await Promise.all(instances.map((each) => ask(each)))
    for (const { token } of app.seen) if (token !== undefined) app.refused.add(token)
    await Promise.all(Array.from({ length: 5 }, (_, index) => ask(instances[index % 2]!)))
    expect(refreshes()).toHaveLength(1)
  })

  test('B7 is replaced once per call; a second refusal is final', async () => {
    await consented(app, app.instance())
    app.refused.add('*')
    await expect(ask(app.instance())).rejects.toMatchObject({ code: 'ERR_INVALID_TOKEN' })
    expect(refreshes()).toHaveLength(1)
  })
})

describe('when a refresh fails', () => {
  test('B105 G59 a stolen and replayed refresh token ends the grant, and the user is asked anew', async () => {
    await consented(app, app.instance())
    await expire()
    await ask(app.instance())
    const [stolen = ''] = refreshes()
    const form = { grant_type: 'refresh_token', refresh_token: stolen, client_id: 'web' }
    await fetch(app.as.tokenEndpoint, { method: 'POST', body: new URLSearchParams(form) })
    await expire()
    const { url } = await consentOf(ask(app.instance()))
    await app.instance().finish('alice', await app.as.consent(url))
    expect(await ask(app.instance())).toMatchObject({ subject: 'alice' })
  })

  test('B105 F21 an outage keeps the grant where nothing can have been used up', async () => {
    await consented(app, app.instance())
    await expire()
    const end = app.as.fault('token', 'outage')
    await expect(ask(app.instance())).rejects.toMatchObject({ code: 'ERR_AUTHORIZATION_UNAVAILABLE' })
    end()
    expect(await ask(app.instance())).toMatchObject({ subject: 'alice' })
  })

  test('F21 without the metadata of the issuer nothing is sent, and nothing lost', async () => {
    await consented(app, app.instance())
    await expire()
    const end = app.as.fault('metadata', 'outage')
    await expect(ask(app.instance())).rejects.toMatchObject({ code: 'ERR_AUTHORIZATION_UNAVAILABLE' })
    end()
    await ask(app.instance())
    expect(refreshes()).toHaveLength(1)
  })

  test.each<Fault>(['disconnect', 'bad-json', 'huge'])(
    'B112 B113 D14 after a lost answer (%s) the refresh token is never sent again',
    async (fault) => {
      await consented(app, app.instance())
      await expire()
      const end = app.as.fault('token', fault)
      await expect(ask(app.instance())).rejects.toMatchObject({ code: 'ERR_AUTHORIZATION_UNAVAILABLE' })
      end()
      await consentOf(ask(app.instance()))
      await consentOf(ask(app.instance()))
      expect(refreshes()).toHaveLength(1)
    },
  )
})

describe('when the store fails', () => {
  /** A store whose n-th write of a grant fails from now on. */
  function failing(store: AuthorizationStore, from: number): AuthorizationStore {
    let writes = 0
    return {
      transactions: store.transactions,
      withCredentials: (keys, use, options) =>
        store.withCredentials(
          keys,
          (records, lease) =>
            use(
              new Map(
                [...records].map(([key, record]) => [
                  key,
                  {
                    key,
                    load: () => record.load(),
                    remove: () => record.remove(),
                    save: async (value: Uint8Array) => {
                      writes += 1
                      if (writes >= from) throw new StoreError('ERR_STORE_UNAVAILABLE')
                      await record.save(value)
                    },
                  },
                ]),
              ),
              lease,
            ),
          options,
        ),
    }
  }

  test('D14 B112 while pending cannot be saved: no token request, no consent, no call', async () => {
    await consented(app, app.instance())
    await expire()
    const before = app.seen.length
    const store = () => failing(app.stores.get('alice')!, 1)
    await expect(ask(app.instance({ store }))).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(refreshes()).toHaveLength(0)
    expect(app.seen).toHaveLength(before)
    expect(await ask(app.instance())).toMatchObject({ subject: 'alice' })
  })

  test('D14 B112 when ready cannot be saved: no call, and consent instead of a second use', async () => {
    await consented(app, app.instance())
    await expire()
    const before = app.seen.length
    const store = () => failing(app.stores.get('alice')!, 2)
    await expect(ask(app.instance({ store }))).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(app.seen).toHaveLength(before)
    await consentOf(ask(app.instance()))
    expect(refreshes()).toHaveLength(1)
  })

  test('an outage opens no consent', async () => {
    const down = memoryAuthorizationStore()
    const store = () => ({
      ...down,
      withCredentials: () => Promise.reject(new StoreError('ERR_STORE_UNAVAILABLE')),
    })
    await expect(ask(app.instance({ store }))).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(app.as.requests.metadata).toBe(0)
  })
})
