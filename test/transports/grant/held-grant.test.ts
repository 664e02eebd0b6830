import { memoryAuthorizationStore, StoreError, type AuthorizationStore } from 'castellan/store'
import { describe, expect, test, vi } from 'vitest'
import { AuthorizationUnavailableError, TokenEndpointError } from '../../../src/transports/errors.js'
import { grantKey, type GrantBinding } from '../../../src/transports/grant/grant-binding.js'
import { readGrant, type GrantRecord } from '../../../src/transports/grant/grant-record.js'
import { holdGrant, type HeldGrant } from '../../../src/transports/grant/held-grant.js'
import type { TokenOutcome } from '../../../src/transports/token/token-outcome.js'

const binding: GrantBinding = {
  kind: 'authorization_code',
  issuer: 'https://login.example.com',
  clientId: 'app',
  method: 'none',
  identity: [],
  endpoint: 'https://api.example.com/mcp',
}
const consent = { id: 'c1', url: 'https://h/a', redirectUri: 'https://h/r', scopes: ['a'], expiresAt: 9 }
const { signal } = new AbortController()
const key = grantKey(binding)

const issued = (token: Partial<(TokenOutcome & { ok: true })['token']> = {}): TokenOutcome => ({
  ok: true,
  token: { accessToken: 'a1', tokenType: 'Bearer', expiresInSeconds: 60, ...token },
})

function hold<T>(store: AuthorizationStore, use: (held: HeldGrant) => Promise<T>): Promise<T> {
  return holdGrant(store, binding, { signal }, use)
}

function stored(store: AuthorizationStore): Promise<GrantRecord | undefined> {
  return store.withCredentials([key], async (records) => {
    const bytes = await records.get(key)!.load()
    return bytes && readGrant(bytes, binding)
  })
}

/** A store whose n-th save of the grant fails. */
function failingStore(store: AuthorizationStore, failing: number): AuthorizationStore {
  let saves = 0
  return {
    transactions: store.transactions,
    withCredentials: (keys, use, options) =>
      store.withCredentials(
        keys,
        (records, lease) => {
          const worse = [...records].map(([name, record]) => {
            const save = async (value: Uint8Array) => {
              saves += 1
              if (saves === failing) throw new StoreError('ERR_STORE_UNAVAILABLE')
              await record.save(value)
            }
            return [
              name,
              { key: record.key, load: () => record.load(), remove: () => record.remove(), save },
            ] as const
          })
          return use(new Map(worse), lease)
        },
        options,
      ),
  }
}

async function withGrant(): Promise<AuthorizationStore> {
  const store = memoryAuthorizationStore()
  await hold(store, (held) =>
    held.issue({ requested: ['a'], exchange: async () => issued({ refreshToken: 'r1' }) }),
  )
  return store
}

const refresh = (held: HeldGrant, outcome: TokenOutcome | Promise<TokenOutcome>, seen?: () => void) =>
  held.issue({
    requested: ['a'],
    consumes: 'refresh_token',
    exchange: async () => {
      seen?.()
      return outcome
    },
  })

describe('an exchange under the lock', () => {
  test('B112 D1 is pending without what it uses up while it runs, and ready before it is told', async () => {
    const store = await withGrant()
    const during: (GrantRecord | undefined)[] = []
    await hold(store, async (held) => {
      const own = held.records.get(key)!
      const ready = await held.issue({
        requested: ['a', 'b'],
        consumes: 'refresh_token',
        exchange: async () => {
          during.push(readGrant((await own.load())!, binding))
          return issued({ accessToken: 'a2', refreshToken: 'r2', scope: ['a'] })
        },
      })
      during.push(readGrant((await own.load())!, binding))
      expect(ready).toMatchObject({ accessToken: 'a2', granted: ['a'] })
    })
    expect(during[0]).toMatchObject({ state: { type: 'pending', previous: { accessToken: 'a1' } } })
    expect(JSON.stringify(during[0])).not.toContain('r1')
    expect(during[1]).toMatchObject({
      requested: ['a', 'b'],
      state: { accessToken: 'a2', refreshToken: 'r2' },
    })
  })

  test('B115 keeps the refresh token when the answer has no new one', async () => {
    const store = await withGrant()
    await hold(store, (held) => refresh(held, issued()))
    expect((await stored(store))?.state).toMatchObject({ refreshToken: 'r1', granted: ['a'] })
  })

  test('B104 expiry counts from the start of the request', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 })
    const ready = await hold(memoryAuthorizationStore(), (held) =>
      held.issue({
        requested: [],
        exchange: async () => {
          vi.setSystemTime(9_000)
          return issued()
        },
      }),
    ).finally(() => vi.useRealTimers())
    expect(ready).toMatchObject({ obtainedAt: 1_000, expiresAt: 61_000 })
  })

  test('B112 D14 when pending cannot be saved, nothing is sent', async () => {
    const store = failingStore(await withGrant(), 1)
    let sent = 0
    const failed = hold(store, (held) => refresh(held, issued(), () => (sent += 1)))
    await expect(failed).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect(sent).toBe(0)
    expect((await stored(store))?.state).toMatchObject({ type: 'ready', refreshToken: 'r1' })
  })

  test('B112 B113 D14 when ready cannot be saved, the refresh token is gone and never sent again', async () => {
    const store = await withGrant()
    const failed = hold(failingStore(store, 2), (held) => refresh(held, issued({ refreshToken: 'r2' })))
    await expect(failed).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    expect((await stored(store))?.state?.type).toBe('pending')
    expect(JSON.stringify(await stored(store))).not.toMatch(/r1|r2/)
  })

  test('B105 F20 what was certainly not used up is given back', async () => {
    const store = await withGrant()
    const error = new AuthorizationUnavailableError()
    await expect(hold(store, (held) => refresh(held, { ok: false, error, usedUp: false }))).rejects.toBe(
      error,
    )
    expect((await stored(store))?.state).toMatchObject({ type: 'ready', refreshToken: 'r1' })
    const empty = memoryAuthorizationStore()
    await expect(hold(empty, (held) => refresh(held, { ok: false, error, usedUp: false }))).rejects.toBe(
      error,
    )
    expect(await stored(empty)).toBeUndefined()
  })

  test.each([new TokenEndpointError('refused', 'invalid_grant'), new AuthorizationUnavailableError()])(
    'B105 B113 G59 what may have been used up is not: %s',
    async (error) => {
      const store = await withGrant()
      await expect(hold(store, (held) => refresh(held, { ok: false, error, usedUp: true }))).rejects.toBe(
        error,
      )
      expect((await stored(store))?.state).toMatchObject({ type: 'pending', previous: { accessToken: 'a1' } })
      expect(JSON.stringify(await stored(store))).not.toContain('r1')
    },
  )

  test('B116 F20 only the token that was meant is deleted', async () => {
    const store = await withGrant()
    await hold(store, (held) => held.drop('somebody-elses'))
    expect((await stored(store))?.state).toMatchObject({ refreshToken: 'r1' })
    const { issuanceId } = (await stored(store))!.state as { issuanceId: string }
    await hold(store, (held) => held.drop(issuanceId))
    expect(await stored(store)).toBeUndefined()
  })

  test('B117 a consent keeps the grant beside it, and several records are held at once', async () => {
    const store = await withGrant()
    const other = 'f'.repeat(64)
    await holdGrant(store, binding, { signal, with: [other] }, async (held) => {
      expect([...held.records.keys()].sort()).toEqual([key, other].sort())
      await held.save({ ...held.record!, consent })
    })
    expect(await stored(store)).toMatchObject({ consent, state: { accessToken: 'a1' } })
  })

  test('B117 a refresh leaves the user in the browser alone, the code of that user ends the consent', async () => {
    const store = await withGrant()
    await hold(store, (held) => held.save({ ...held.record!, consent }))
    await hold(store, (held) => refresh(held, issued({ accessToken: 'a2' })))
    expect(await stored(store)).toMatchObject({ consent, state: { accessToken: 'a2' } })
    const code = (held: HeldGrant) =>
      held.issue({ requested: ['a'], consumes: 'code', exchange: async () => issued({ accessToken: 'a3' }) })
    await hold(store, code)
    expect(await stored(store)).not.toHaveProperty('consent')
  })
})
