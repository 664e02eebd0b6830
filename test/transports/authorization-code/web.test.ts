import { once } from 'node:events'
import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { memoryAuthorizationStore, type AuthorizationStore } from 'castellan/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { whoami } from '../../fastify/guarded.js'
import { ask, clientOf, consented, consentOf, write, webApp, type WebApp } from './web-app.js'

let app: WebApp
beforeEach(async () => {
  app = await webApp()
})
afterEach(() => app.stop())

const tokenRequests = () => app.as.received.filter(({ endpoint }) => endpoint === 'token')

describe('the first call of a user', () => {
  test('B96 names where to consent; any instance takes the answer, and the call is made again', async () => {
    const { url, issuer, scopes } = await consentOf(ask(app.instance()))
    expect({ issuer, scopes }).toEqual({ issuer: app.as.issuer, scopes: ['mcp'] })
    await app.instance().finish('alice', await app.as.consent(url))
    expect(await ask(app.instance())).toEqual({ subject: 'alice', scopes: ['mcp'] })
    expect(app.as.requests).toMatchObject({ authorization: 1, token: 1 })
  })

  test('B3 B5 asks for scopes without credentials and with nothing of the call', async () => {
    await consentOf(ask(app.instance()))
    expect(app.seen.map(({ token }) => token)).toEqual([undefined])
  })

  test('D7 B117 calls at once, in several instances, send the user to one place', async () => {
    const [one, other] = [app.instance(), app.instance()]
    const urls = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => (await consentOf(ask(index % 2 ? one : other))).url),
    )
    expect(new Set(urls).size).toBe(1)
    await one.finish('alice', await app.as.consent(urls[0]!))
    await Promise.all(Array.from({ length: 20 }, () => ask(other)))
    expect(app.as.requests).toMatchObject({ authorization: 1, token: 1 })
  })

  test('B70 B72 B75 F8 the request carries PKCE and the resource, and so does the exchange', async () => {
    const consent = app.instance()
    await consented(app, consent)
    const [request, exchange] = app.as.received.map(({ parameters }) => parameters)
    expect(request).toMatchObject({ response_type: 'code', resource: app.endpoint, client_id: 'web' })
    expect(exchange).toMatchObject({ grant_type: 'authorization_code', resource: app.endpoint })
    expect(exchange!['code_verifier']).toHaveLength(43)
  })
})

describe('the answer of a user', () => {
  const begun = async () => app.as.consent((await consentOf(ask(app.instance()))).url)

  test('B91 F45 G47 of another user is refused, and stays good for the one it belongs to', async () => {
    const callback = await begun()
    const consent = app.instance()
    await expect(consent.finish('mallory', callback)).rejects.toMatchObject({ reason: 'mismatch' })
    expect(app.as.requests.token).toBe(0)
    await consent.finish('alice', callback)
    await consentOf(ask(consent, 'mallory'))
    expect(await ask(consent)).toMatchObject({ subject: 'alice' })
  })

  test('B91 G47 even where a host gives all users one store', async () => {
    const shared = memoryAuthorizationStore()
    const consent = app.instance({ store: () => shared })
    const { url } = await consentOf(ask(consent))
    const callback = await app.as.consent(url)
    await expect(consent.finish('mallory', callback)).rejects.toMatchObject({ reason: 'mismatch' })
    await consent.finish('alice', callback)
    await consentOf(ask(consent, 'mallory'))
  })

  test('B94 G47 is taken once, of two instances at the same time as well', async () => {
    const callback = await begun()
    const outcomes = await Promise.allSettled([
      app.instance().finish('alice', callback),
      app.instance().finish('alice', callback),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(app.as.requests.token).toBe(1)
  })

  test.each<[string, (url: URL) => void]>([
    ['G47 an unknown state', (url) => url.searchParams.set('state', 'x'.repeat(43))],
    ['G48 a code and an error', (url) => url.searchParams.set('error', 'access_denied')],
    ['G48 a code twice', (url) => url.searchParams.append('code', 'other')],
    ['B92 G42 another issuer', (url) => url.searchParams.set('iss', 'https://evil.example.com')],
    ['B92 F3 a slash more', (url) => url.searchParams.set('iss', `${url.searchParams.get('iss')}/`)],
    ['B92 no issuer', (url) => url.searchParams.delete('iss')],
    ['G48 another path', (url) => (url.pathname += '/more')],
  ])('%s: no token request', async (_, damage) => {
    const callback = new URL(await begun())
    damage(callback)
    await expect(app.instance().finish('alice', callback.href)).rejects.toMatchObject({
      code: 'ERR_CONSENT',
      reason: 'mismatch',
    })
    expect(app.as.requests.token).toBe(0)
  })

  test('B93 F49 G49 a refusal is final for its consent; the next call begins another', async () => {
    const { url } = await consentOf(ask(app.instance()))
    const callback = await app.as.consent(url, { error: 'access_denied' })
    const spoken = `${callback}&error_description=canary%1b`
    const refused = app.instance().finish('alice', spoken)
    await expect(refused).rejects.toMatchObject({ reason: 'denied' })
    expect(inspect(await refused.catch((error: unknown) => error))).not.toContain('canary')
    expect((await consentOf(ask(app.instance()))).url).not.toBe(url)
  })

  test('B94 after a failed exchange the code is never sent again', async () => {
    const callback = await begun()
    const end = app.as.fault('token', 'outage')
    await expect(app.instance().finish('alice', callback)).rejects.toMatchObject({
      code: 'ERR_AUTHORIZATION_UNAVAILABLE',
    })
    end()
    await expect(app.instance().finish('alice', callback)).rejects.toMatchObject({ reason: 'mismatch' })
    await consentOf(ask(app.instance()))
    expect(tokenRequests()).toHaveLength(1)
  })

  test('B120 after a sign-out it brings nothing back', async () => {
    const callback = await begun()
    await app.instance().forget('alice')
    await expect(app.instance().finish('alice', callback)).rejects.toMatchObject({ reason: 'expired' })
    expect(app.as.requests.token).toBe(0)
  })
})

/** A store in which so many consents are begun before any of them is told. */
function inStep(count: number): AuthorizationStore {
  const store = memoryAuthorizationStore()
  let begun = 0
  let go: () => void = () => undefined
  const all = new Promise<void>((resolve) => (go = resolve))
  return {
    ...store,
    transactions: {
      ...store.transactions,
      async put(...transaction) {
        await store.transactions.put(...transaction)
        begun += 1
        if (begun === count) go()
        await all
      },
    },
  }
}

describe('more scopes', () => {
  test('B73 H5 are asked for together with those there were, and the call is made again', async () => {
    const consent = app.instance()
    await consented(app, consent)
    const { url, scopes } = await consentOf(write(consent))
    expect(scopes).toEqual(['mcp', 'notes:read', 'notes:write'])
    expect(await ask(consent)).toMatchObject({ scopes: ['mcp'] })
    await consent.finish('alice', await app.as.consent(url))
    expect(await write(consent)).toBe('written')
    expect(await write(app.instance())).toBe('written')
    expect(app.as.requests.token).toBe(2)
  })

  test('B13 B122 G55 F28 that were not granted are not asked for again', async () => {
    const consent = app.instance()
    await consented(app, consent)
    const { url } = await consentOf(write(consent))
    await consent.finish('alice', await app.as.consent(url, { scopes: ['mcp', 'notes:read'] }))
    for (const each of [consent, app.instance()]) {
      await expect(write(each)).rejects.toMatchObject({
        code: 'ERR_INSUFFICIENT_SCOPE',
        required: ['notes:read', 'notes:write'],
      })
    }
    expect(app.as.requests.authorization).toBe(2)
    expect(await ask(consent)).toMatchObject({ subject: 'alice' })
  })

  test('B122 that the user refused are not asked for again for a while, unless the user asks', async () => {
    const consent = app.instance()
    await consented(app, consent)
    const { url } = await consentOf(write(consent))
    const denied = await app.as.consent(url, { error: 'access_denied' })
    await expect(consent.finish('alice', denied)).rejects.toMatchObject({ reason: 'denied' })
    await expect(write(consent)).rejects.toMatchObject({ code: 'ERR_INSUFFICIENT_SCOPE' })
    expect(await ask(consent)).toMatchObject({ scopes: ['mcp'] })
    const asked = await consent.begin('alice', { scopes: ['notes:read', 'notes:write'] })
    await consent.finish('alice', await app.as.consent(asked.url))
    expect(await write(consent)).toBe('written')
  })

  test('B73 F30 G54 beyond what the operator allows are never asked for', async () => {
    const quirks = { scopeCeiling: ['mcp', 'notes:read'] }
    const consent = app.instance({ registration: app.registration({ quirks }) })
    await consented(app, consent)
    await expect(write(consent)).rejects.toMatchObject({ code: 'ERR_INSUFFICIENT_SCOPE' })
    await expect(consent.begin('alice', { scopes: ['admin'] })).rejects.toMatchObject({
      code: 'ERR_INSUFFICIENT_SCOPE',
    })
    expect(app.as.requests.authorization).toBe(1)
  })

  test.each(['one after the other', 'at the same time'])(
    'B73 that are asked for %s end in one consent for all of them',
    async (order) => {
      const store = order === 'at the same time' ? inStep(3) : memoryAuthorizationStore()
      app.stores.set('alice', store)
      const first = app.instance()
      const ways = [['a'], ['b', 'c'], ['d']].map(
        (scopes, index) => () => (index === 0 ? first : app.instance()).begin('alice', { scopes }),
      )
      if (order === 'at the same time') await Promise.all(ways.map((begin) => begin()))
      else for (const begin of ways) await begin()
      const { url, scopes } = await first.begin('alice')
      expect([...scopes].sort()).toEqual(['a', 'b', 'c', 'd', 'mcp'])
      await first.finish('alice', await app.as.consent(url))
      expect(await ask(app.instance())).toMatchObject({
        scopes: expect.arrayContaining(['a', 'b', 'c', 'd']),
      })
    },
  )

  test('B117 a link that another one has taken the place of is refused, and the other is still good', async () => {
    const consent = app.instance()
    const before = await consent.begin('alice', { scopes: ['a'] })
    const after = await consent.begin('alice', { scopes: ['b'] })
    await expect(consent.finish('alice', await app.as.consent(before.url))).rejects.toMatchObject({
      reason: 'expired',
    })
    await consent.finish('alice', await app.as.consent(after.url))
    expect(await ask(consent)).toMatchObject({ scopes: expect.arrayContaining(['a', 'b']) })
  })

  test.each([[['']], [['a b']], [['a"']], [[5]], [[null]], ['admin'], [null]])(
    'RFC 6749 §3.3 what is no list of scopes is refused and keeps nothing from working: %j',
    async (scopes) => {
      const consent = app.instance()
      await expect(consent.begin('alice', { scopes: scopes as string[] })).rejects.toMatchObject({
        code: 'ERR_OPTION',
      })
      await consented(app, consent)
      expect(await ask(consent)).toMatchObject({ subject: 'alice' })
    },
  )

  test('D7 a consent that is open is taken for a call that needs no more', async () => {
    const consent = app.instance()
    const asked = await consent.begin('alice', { scopes: ['notes:read', 'notes:write'] })
    expect(asked.scopes).toEqual(['notes:read', 'notes:write', 'mcp'])
    expect((await consentOf(ask(consent))).url).toBe(asked.url)
    expect((await consent.begin('alice')).url).toBe(asked.url)
    await consent.finish('alice', await app.as.consent(asked.url))
    expect(await write(consent)).toBe('written')
  })
})

test('G47 B91 an answer that comes to the consents of another server is refused there and still good at its own', async () => {
  const own = app.instance()
  const other = app.instance({ endpoint: `${app.endpoint}/other` })
  const { url } = await consentOf(ask(own))
  const callback = await app.as.consent(url)
  await expect(other.finish('alice', callback)).rejects.toMatchObject({ reason: 'mismatch' })
  await own.finish('alice', callback)
  expect(await ask(own)).toMatchObject({ subject: 'alice' })
})

describe('signing out', () => {
  test('B120 D24 deletes a record that nobody can read, so that the user can begin anew', async () => {
    const consent = app.instance()
    await consented(app, consent)
    const store = app.stores.get('alice')!
    const keys: string[] = []
    const spoiling: AuthorizationStore = {
      transactions: store.transactions,
      withCredentials: (wanted, use, options) => {
        keys.push(...wanted)
        return store.withCredentials(wanted, use, options)
      },
    }
    app.stores.set('alice', spoiling)
    const later = app.instance()
    expect(await ask(later)).toMatchObject({ subject: 'alice' })
    await store.withCredentials([keys[0]!], async (records) => records.get(keys[0]!)!.save(Buffer.from('{}')))
    const last = app.instance()
    await expect(ask(last)).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
    await last.forget('alice')
    await consented(app, last)
    expect(await ask(last)).toMatchObject({ subject: 'alice' })
  })

  test('what the application gives for a store is checked', () => {
    const consent = app.instance({ store: () => undefined as never })
    expect(() => consent.transport('alice')).toThrow('`store`')
  })

  test('B120 deletes the grant and revokes its tokens, the refresh token first', async () => {
    const consent = app.instance()
    await consented(app, consent)
    await consent.forget('alice')
    const revoked = app.as.received.filter(({ endpoint }) => endpoint === 'revocation')
    expect(revoked.map(({ parameters }) => parameters['token_type_hint'])).toEqual([
      'refresh_token',
      'access_token',
    ])
    await consentOf(ask(consent))
  })

  test('B120 succeeds while the authorization server is down, and does not touch other users', async () => {
    const consent = app.instance()
    await consented(app, consent)
    await consented(app, consent, 'bob')
    app.as.fault('revocation', 'disconnect')
    await consent.forget('alice')
    expect(await ask(consent, 'bob')).toMatchObject({ subject: 'bob' })
    await consentOf(ask(consent))
  })

  test('B120 reaches a transport that was made when ten thousand other users were not yet there', async () => {
    const store = memoryAuthorizationStore()
    const consent = app.instance({ store: () => store })
    await consented(app, consent)
    const client = clientOf(consent)
    expect(await client.call(whoami.definition, {})).toMatchObject({ subject: 'alice' })
    for (let other = 0; other < 10_001; other += 1) consent.transport(`user-${other}`)
    await consent.forget('alice')
    await consentOf(client.call(whoami.definition, {}))
  })

  test('B120 is not told to have happened while nobody can say whose grant it is', async () => {
    const instance = () => app.instance({ registration: () => app.registration() })
    await consented(app, instance())
    await app.app.close()
    const down = createServer((_, answer) => answer.writeHead(503).end())
    await once(down.listen(Number(new URL(app.endpoint).port), '127.0.0.1'), 'listening')
    await expect(instance().forget('alice')).rejects.toMatchObject({ code: 'ERR_AUTHORIZATION_UNAVAILABLE' })
    down.close()
  })
})
