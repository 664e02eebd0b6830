import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { AuthorizationUnavailableError } from '../../../src/transports/errors.js'
import type { ReadyGrant } from '../../../src/transports/grant/grant-record.js'
import { isFresh, sharedGrant, type GrantWish } from '../../../src/transports/grant/shared-grant.js'

const ready = (issuanceId: string, more: Partial<ReadyGrant> = {}): ReadyGrant => ({
  type: 'ready',
  issuanceId,
  accessToken: `token-${issuanceId}`,
  tokenType: 'Bearer',
  obtainedAt: Date.now(),
  granted: ['a'],
  ...more,
})

/** A shared grant whose every obtaining waits to be answered by hand. */
function byHand() {
  const asked: {
    wish: GrantWish
    signal: AbortSignal
    give: (grant: ReadyGrant | undefined) => void
    fail: (error: Error) => void
  }[] = []
  const grant = sharedGrant(
    (wish, signal) => new Promise((give, fail) => asked.push({ wish, signal, give, fail })),
  )
  return { grant, asked }
}

describe('one grant for many requests', () => {
  test('B116 D5 a hundred callers wait for one token', async () => {
    const { grant, asked } = byHand()
    const all = Array.from({ length: 100 }, () => grant.get({}, undefined))
    expect(asked).toHaveLength(1)
    asked[0]!.give(ready('1'))
    expect(new Set((await Promise.all(all)).map((each) => each?.issuanceId))).toEqual(new Set(['1']))
    await grant.get({}, undefined)
    expect(asked).toHaveLength(1)
  })

  test('B11 D14 stale refusals of one token lead to one exchange, however late they come', async () => {
    const { grant, asked } = byHand()
    const wish = { rejected: '1' }
    const early = [grant.get(wish, undefined), grant.get({ rejected: '1' }, undefined)]
    asked[0]!.give(ready('2'))
    await Promise.all(early)
    expect((await grant.get(wish, undefined))?.issuanceId).toBe('2')
    expect(asked).toHaveLength(1)
    void grant.get({ rejected: '2' }, undefined)
    expect(asked).toHaveLength(2)
  })

  test('B114 a token without the scopes that are needed does not serve', async () => {
    const { grant, asked } = byHand()
    const first = grant.get({}, undefined)
    asked[0]!.give(ready('1'))
    await first
    expect((await grant.get({ scopes: ['a'] }, undefined))?.issuanceId).toBe('1')
    void grant.get({ scopes: ['a', 'b'] }, undefined)
    expect(asked[1]?.wish).toEqual({ scopes: ['a', 'b'] })
  })

  test('B121 one who stops waiting stops nobody else', async () => {
    const { grant, asked } = byHand()
    const controller = new AbortController()
    const stopped = grant.get({}, controller.signal)
    const patient = grant.get({}, undefined)
    controller.abort(new Error('not wanted'))
    await expect(stopped).rejects.toThrow('not wanted')
    expect(asked[0]!.signal.aborted).toBe(false)
    asked[0]!.give(ready('1'))
    expect((await patient)?.issuanceId).toBe('1')
  })

  test('B121 when nobody waits any more, what may be stopped is told so, and the next caller begins anew', async () => {
    const { grant, asked } = byHand()
    const controller = new AbortController()
    const stopped = grant.get({}, controller.signal)
    controller.abort(new Error('not wanted'))
    await expect(stopped).rejects.toThrow('not wanted')
    expect(asked[0]!.signal.aborted).toBe(true)
    const next = grant.get({}, undefined)
    asked[0]!.fail(new Error('stopped'))
    asked[1]!.give(ready('2'))
    expect((await next)?.issuanceId).toBe('2')
  })

  test('a failure reaches all who wait, and the next caller tries again', async () => {
    const { grant, asked } = byHand()
    const all = [grant.get({}, undefined), grant.get({}, undefined)]
    asked[0]!.fail(new Error('down'))
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const next = grant.get({}, undefined)
    asked[1]!.give(ready('1'))
    expect((await next)?.issuanceId).toBe('1')
  })

  test('C11 a server that names a time is not asked again before it', async () => {
    const { grant, asked } = byHand()
    const first = grant.get({}, undefined)
    asked[0]!.fail(new AuthorizationUnavailableError(undefined, 60))
    await expect(first).rejects.toMatchObject({ retryAfterSeconds: 60 })
    await expect(grant.get({}, undefined)).rejects.toMatchObject({ retryAfterSeconds: 60 })
    expect(asked).toHaveLength(1)
  })

  test('B105 what was to be waited for is forgotten with the grant, also when it comes later', async () => {
    const { grant, asked } = byHand()
    const [first, late] = [grant.get({}, undefined), grant.get({ rejected: 'x' }, undefined)]
    asked[0]!.fail(new AuthorizationUnavailableError(undefined, 60))
    await expect(first).rejects.toMatchObject({ retryAfterSeconds: 60 })
    grant.forget()
    asked[1]!.fail(new AuthorizationUnavailableError(undefined, 60))
    await expect(late).rejects.toMatchObject({ retryAfterSeconds: 60 })
    const next = grant.get({}, undefined)
    asked[2]!.give(ready('1'))
    expect((await next)?.issuanceId).toBe('1')
  })

  test('G65 closing waits for what has begun, and gives nothing afterwards', async () => {
    const { grant, asked } = byHand()
    const waiting = grant.get({}, undefined)
    const order: string[] = []
    const closed = grant.close().then(() => order.push('closed'))
    await turn()
    order.push('given')
    asked[0]!.give(ready('1'))
    await Promise.all([closed, waiting])
    expect(order).toEqual(['given', 'closed'])
    await expect(grant.get({}, undefined)).rejects.toMatchObject({ code: 'ERR_CLIENT' })
  })
})

test.each([
  [3_600, -3_600_000, false],
  [3_600, -60_001, false],
  [3_600, -60_000, true],
  [10, -60_001, false],
  [10, -60_000, true],
  [3_600, 3_569_000, true],
  [3_600, 3_571_000, false],
  [10, 4_000, true],
  [10, 6_000, false],
])('B104 a token of %i seconds is fresh after %i ms: %s', (lifetime, age, fresh) => {
  expect(isFresh(ready('1', { obtainedAt: 0, expiresAt: lifetime * 1000 }), age)).toBe(fresh)
})

test('B104 a token without a stated life is not judged by the clock', () => {
  expect(isFresh(ready('1', { obtainedAt: 100_000 }), 0)).toBe(true)
})
