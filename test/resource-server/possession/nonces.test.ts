import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Rejection } from '../../../src/resource-server/index.js'
import { nonces } from '../../../src/resource-server/possession/nonces.js'
import { resource, setClock } from '../fixture.js'
import { dpopChallenge, dpopGuard, told } from './fixture.js'

const secret = randomBytes(32)
const needed = [401, 'proof-nonce', dpopChallenge('use_dpop_nonce')]
const nonceOf = (decision: unknown) => (decision as Rejection).headers['dpop-nonce']

describe('A61 nonces', () => {
  it('are asked for with the next one, and taken', async () => {
    const { present, mintBound, proof } = await dpopGuard({ nonce: { secret } })
    const token = await mintBound()
    const first = await present(`DPoP ${token}`, await proof(token))
    expect(told(first)).toEqual(needed)
    const nonce = nonceOf(first)!
    expect(nonce).toMatch(/^[\w-]{43}$/)
    expect(told(await present(`DPoP ${token}`, await proof(token, { nonce })))).toBe('alice')
    expect(told(await present(`DPoP ${token}`, await proof(token, { nonce })))).toBe('alice')
  })

  it.each([undefined, '', 'x', 'x'.repeat(43), 7, null, ['a']])(
    '%j is answered with a good one',
    async (wrong) => {
      const { present, mintBound, proof } = await dpopGuard({ nonce: { secret } })
      const token = await mintBound()
      const decision = await present(`DPoP ${token}`, await proof(token, { claims: { nonce: wrong } }))
      expect(told(decision)).toEqual(needed)
      expect(nonceOf(decision)).toBeDefined()
    },
  )

  it('a refused proof is not used up, and can not be completed by somebody else', async () => {
    const { present, mintBound, proof } = await dpopGuard({ nonce: { secret } })
    const token = await mintBound()
    const claims = { jti: 'same' }
    const nonce = nonceOf(await present(`DPoP ${token}`, await proof(token, { claims })))!
    expect(told(await present(`DPoP ${token}`, await proof(token, { claims, nonce })))).toBe('alice')
  })

  it('are only given for a good token and an otherwise good proof', async () => {
    const { as, present, mintBound, proof } = await dpopGuard({ nonce: { secret } })
    const token = await mintBound()
    const expired = await as.mintBad('expired', { resource })
    for (const decision of [
      await present(`DPoP ${expired}`, await proof(expired)),
      await present(`DPoP ${token}`, await proof('another')),
      await present(`DPoP ${token}`),
    ]) {
      expect(nonceOf(decision)).toBeUndefined()
      expect(told(decision)).not.toEqual(needed)
    }
  })

  it('live from half to all of their lifetime and are the same on every instance', () => {
    const clock = setClock()
    clock.advance(300 - ((clock.now() / 1000) % 300))
    const one = nonces({ secret }, resource, clock.now)
    const other = nonces({ secret: createSecretKey(secret), lifetimeSeconds: 300 }, resource, clock.now)
    const nonce = one.current()
    expect(other.current()).toBe(nonce)
    clock.advance(149)
    expect(one.current()).toBe(nonce)
    clock.advance(1)
    expect(one.current()).not.toBe(nonce)
    clock.advance(149)
    expect(other.accepts(nonce)).toBe(true)
    clock.advance(1)
    expect(other.accepts(nonce)).toBe(false)
    expect(one.accepts(nonce)).toBe(false)
    expect(one.accepts(other.current())).toBe(true)
  })

  it('of another secret, resource or of the future are not good', () => {
    const clock = setClock()
    const mine = nonces({ secret }, resource, clock.now)
    const later = nonces({ secret }, resource, () => clock.now() + 300_000)
    for (const foreign of [
      nonces({ secret: randomBytes(32) }, resource, clock.now),
      nonces({ secret }, 'https://api.example.com/other', clock.now),
      later,
    ]) {
      expect(mine.accepts(foreign.current())).toBe(false)
    }
  })
})
