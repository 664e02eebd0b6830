import { describe, expect, it } from 'vitest'
import { outcome, resource, setClock, startAuthorizationServer } from '../fixture.js'
import { activeAnswer, introspecting, scriptedEndpoint } from './fixture.js'

async function scene(options = {}) {
  const as = await startAuthorizationServer()
  const clock = setClock()
  const server = introspecting({ issuer: as.issuer, cache: { maxSeconds: 30 }, ...options }, clock)
  return { as, clock, server }
}

describe('A88 G15 without a cache', () => {
  it('every request is asked about, and a revoked token is refused with the next', async () => {
    const { as, server } = await scene({ cache: undefined })
    const token = as.mintOpaque({ resource })
    expect(await outcome(server.verify(token))).toBe('accepted')
    expect(await outcome(server.verify(token))).toBe('accepted')
    as.revoke(token)
    expect(await outcome(server.verify(token))).toBe('inactive')
    expect(as.requests.introspection).toBe(3)
  })
})

describe('A88 G15 with a cache', () => {
  it('a token is answered at once until its time, and a revoked one refused after it', async () => {
    const { as, clock, server } = await scene()
    const token = as.mintOpaque({ resource })
    const first = await server.verify(token)
    as.revoke(token)
    clock.advance(29.999)
    expect(server.verify(token)).toBe(first)
    clock.advance(0.001)
    expect(await outcome(server.verify(token))).toBe('inactive')
    expect(as.requests.introspection).toBe(2)
  })

  it('no token is kept beyond its exp, not even by the clock tolerance', async () => {
    const { as, clock, server } = await scene({ clockToleranceSeconds: 60 })
    const issuedAt = Math.floor(clock.now() / 1000)
    const token = as.mintOpaque({ resource, issuedAt, expiresInSeconds: 20 })
    await server.verify(token)
    clock.advance(issuedAt + 20 - clock.now() / 1000 - 0.001)
    expect(server.verify(token)).not.toBeInstanceOf(Promise)
    clock.advance(0.002)
    expect(server.verify(token)).toBeInstanceOf(Promise)
  })

  it('refusals are not kept', async () => {
    const { as, server } = await scene()
    const foreign = as.mintOpaque({ resource: 'https://api.example.com/other' })
    for (const token of [foreign, foreign, 'unknown', 'unknown'])
      expect(await server.verify(token)).toMatchObject({ outcome: 'refused' })
    expect(as.requests.introspection).toBe(4)
  })

  it('bound tokens stay bound', async () => {
    const { as, server } = await scene()
    const token = as.mintOpaque({ resource, claims: { cnf: { jkt: 'a'.repeat(43) } } })
    const first = await server.verify(token)
    expect(first.outcome).toBe('bound')
    expect(server.verify(token)).toBe(first)
  })

  it('another resource never gets what was decided for this one', async () => {
    const { as, server } = await scene()
    const other = introspecting({
      issuer: as.issuer,
      resource: 'https://api.example.com/other',
      cache: { maxSeconds: 30 },
    })
    const token = as.mintOpaque({ resource })
    expect(await outcome(server.verify(token))).toBe('accepted')
    expect(await outcome(other.verify(token))).toBe('audience')
  })

  it('nothing decided before an outage is answered during it or after it', async () => {
    const clock = setClock()
    let failing = false
    const host = await scriptedEndpoint(() =>
      failing ? { status: 500, text: '' } : activeAnswer(host.issuer),
    )
    const { issuer, endpoint } = host
    const server = introspecting({ issuer, endpoint, cache: { maxSeconds: 60 } }, clock)
    await server.verify('kept')
    expect(server.verify('kept')).not.toBeInstanceOf(Promise)
    failing = true
    for (let request = 0; request < 5; request += 1) await server.verify(`t${request}`)
    expect(await outcome(server.verify('kept'))).toBe('undecided')
    failing = false
    clock.advance(1)
    expect(await outcome(server.verify('probe'))).toBe('accepted')
    expect(server.verify('kept')).toBeInstanceOf(Promise)
    expect(server.verify('probe')).not.toBeInstanceOf(Promise)
  })
})
