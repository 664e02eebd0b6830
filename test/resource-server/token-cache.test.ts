import { describe, expect, it } from 'vitest'
import { outcome, resource, resourceServerAt, setClock, startAuthorizationServer } from './fixture.js'
import type { Verification } from '../../src/resource-server/resource-server.js'
import { cachedVerifier, type Verified } from '../../src/resource-server/token-cache.js'

const accepted = (subject: string): Verification => ({
  outcome: 'accepted',
  principal: { issuer: 'i', subject, scopes: [], expiresAt: 0, claims: {} },
})

function scene(answer: (token: string) => Verified, limits = { maxTokens: 3, maxMilliseconds: 1_000 }) {
  const seen: string[] = []
  const state = { now: 0, generation: 1 }
  const verify = cachedVerifier(
    async (token) => {
      seen.push(token)
      await Promise.resolve()
      return answer(token)
    },
    { ...limits, now: () => state.now, generation: () => state.generation },
  )
  return { verify, seen, state }
}

const keep = (validUntil: number, generation = 1) =>
  scene((token) => ({ verification: accepted(token), validUntil, generation }))

describe('verified tokens', () => {
  it('are answered at once with the same frozen object', async () => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { issuer: as.issuer })
    const token = await as.mint({ resource })
    const first = await server.verify(token)
    expect(server.verify(token)).toBe(first)
    expect(Object.isFrozen(first)).toBe(true)
  })

  it('are verified once however many ask at the same time', async () => {
    const { verify, seen } = keep(Infinity)
    const answers = await Promise.all(Array.from({ length: 50 }, async () => verify('t')))
    expect(new Set(answers).size).toBe(1)
    expect(seen).toEqual(['t'])
  })

  it('end with the token, exactly', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { issuer: as.issuer, clockToleranceSeconds: 2 })
    const token = await as.mint({ resource, issuedAt: clock.now() / 1000, expiresInSeconds: 60 })
    await server.verify(token)
    clock.advance(61.999)
    expect(server.verify(token)).toMatchObject({ outcome: 'accepted' })
    clock.advance(0.001)
    expect(await outcome(server.verify(token))).toBe('expired')
  })

  it('end after five minutes, or after maxCacheSeconds', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const token = await as.mint({ resource, expiresInSeconds: 3_600 })
    const usual = resourceServerAt(clock, { issuer: as.issuer })
    const never = resourceServerAt(clock, { issuer: as.issuer, maxCacheSeconds: 0 })
    await usual.verify(token)
    await never.verify(token)
    expect(never.verify(token)).toBeInstanceOf(Promise)
    clock.advance(299.9)
    expect(usual.verify(token)).not.toBeInstanceOf(Promise)
    clock.advance(0.1)
    expect(usual.verify(token)).toBeInstanceOf(Promise)
  })

  it('end with the key set they were verified with, not with the one that came meanwhile', async () => {
    const { verify, seen, state } = keep(Infinity)
    await verify('t')
    expect(verify('t')).not.toBeInstanceOf(Promise)
    state.generation = 2
    expect(verify('t')).toBeInstanceOf(Promise)
    await verify('t')
    await verify('t')
    expect(seen).toEqual(['t', 't', 't'])
  })

  it('are bounded in number, the least used going first', async () => {
    const { verify, seen } = keep(Infinity)
    for (const token of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await verify(token)
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'b'])
  })

  it('are never mixed up', async () => {
    const { verify } = keep(Infinity)
    for (const token of ['a', 'b', 'a', 'b']) {
      expect(await verify(token)).toMatchObject({ principal: { subject: token } })
    }
  })
})

describe('what is not kept', () => {
  it.each([
    { outcome: 'refused', reason: 'signature' },
    { outcome: 'undecided', reason: 'keys: timeout' },
  ] as const)('%j', async (verification) => {
    const { verify, seen } = scene(() => ({ verification }))
    await verify('t')
    await verify('t')
    expect(seen).toEqual(['t', 't'])
  })

  it('an undecided token is decided as soon as it can be', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { issuer: as.issuer })
    const end = as.fault('jwks', 'outage')
    const token = await as.mint({ resource })
    expect(await outcome(server.verify(token))).toBe('undecided')
    end()
    clock.advance(1)
    expect(await outcome(server.verify(token))).toBe('accepted')
  })
})
