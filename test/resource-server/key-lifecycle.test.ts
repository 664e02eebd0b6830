import { describe, expect, it } from 'vitest'
import { outcome, resource, resourceServerAt, setClock, startAuthorizationServer, until } from './fixture.js'
import type { Fault } from '../../src/testing/index.js'

const long = { resource, expiresInSeconds: 80_000 }

describe('reading keys', () => {
  it('A70 reads nothing before the first token, then once for many at the same time', async () => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { issuer: as.issuer })
    expect(as.requests).toMatchObject({ metadata: 0, jwks: 0 })
    const tokens = await Promise.all(Array.from({ length: 50 }, () => as.mint(long)))
    const outcomes = await Promise.all(tokens.map((token) => outcome(server.verify(token))))
    expect(new Set(outcomes)).toEqual(new Set(['accepted']))
    expect(as.requests).toMatchObject({ metadata: 1, jwks: 1 })
  })

  it('A78 is built while the authorization server is down, and works once it is up', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const end = as.fault('metadata', 'disconnect')
    const server = resourceServerAt(clock, { issuer: as.issuer })
    const token = await as.mint(long)
    expect(await outcome(server.verify(token))).toBe('undecided')
    end()
    clock.advance(1)
    expect(await outcome(server.verify(token))).toBe('accepted')
  })

  it.each(['outage', 'disconnect', 'bad-json', 'redirect', 'huge'] as Fault[])(
    'A18 A77 B079 %s of the key set is undecided, not refused, and says when to come back',
    async (fault) => {
      const as = await startAuthorizationServer()
      const server = resourceServerAt(setClock(), { jwksUri: as.jwksUri, issuer: as.issuer })
      as.fault('jwks', fault)
      expect(await server.verify(await as.mint(long))).toMatchObject({
        outcome: 'undecided',
        retryAfterSeconds: 1,
      })
    },
  )

  it.each([
    ['no list', undefined],
    ['an object', {}],
    ['more than 100 keys', Array.from({ length: 101 }, () => ({ kty: 'EC' }))],
  ])('A75 a key set with %s is undecided', async (_, keys) => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { issuer: as.issuer })
    as.publishKeys(keys as unknown[])
    expect(await outcome(server.verify(await as.mint(long)))).toBe('undecided')
  })

  it('A71 asks a failing server after 1, 2, 4, 8, 16, 24, 24 seconds and not in between', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { jwksUri: as.jwksUri, issuer: as.issuer })
    as.fault('jwks', 'outage')
    const token = await as.mint(long)
    let expected = 1
    expect(await outcome(server.verify(token))).toBe('undecided')
    for (const wait of [1, 2, 4, 8, 16, 24, 24]) {
      clock.advance(wait - 0.001)
      const early = await Promise.all(Array.from({ length: 20 }, () => outcome(server.verify(token))))
      expect(new Set(early)).toEqual(new Set(['undecided']))
      expect(as.requests.jwks).toBe(expected)
      clock.advance(0.001)
      await server.verify(token)
      expect(as.requests.jwks).toBe((expected += 1))
    }
  })

  it('A71 starts over at 1 s after a success', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { jwksUri: as.jwksUri, issuer: as.issuer, maxCacheSeconds: 0 })
    const token = await as.mint(long)
    const end = as.fault('jwks', 'outage')
    for (const wait of [0, 1, 2, 4]) {
      clock.advance(wait)
      await server.verify(token)
    }
    end()
    clock.advance(8)
    expect(await outcome(server.verify(token))).toBe('accepted')
    as.fault('jwks', 'outage')
    clock.advance(600)
    expect(await server.verify(token)).toMatchObject({ outcome: 'undecided', retryAfterSeconds: 1 })
  })

  it('A71 spreads the tries by chance, a quarter longer at most', async () => {
    const as = await startAuthorizationServer()
    const clock = { ...setClock(), random: () => 0.999 }
    const server = resourceServerAt(clock, { jwksUri: as.jwksUri, issuer: as.issuer })
    as.fault('jwks', 'outage')
    const token = await as.mint(long)
    await server.verify(token)
    clock.advance(1.2)
    await server.verify(token)
    expect(as.requests.jwks).toBe(1)
    clock.advance(0.05)
    await server.verify(token)
    expect(as.requests.jwks).toBe(2)
  })
})

describe('age', () => {
  it('A78 reads again in the background from 80 % of ten minutes, without making anybody wait', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { jwksUri: as.jwksUri, issuer: as.issuer, maxCacheSeconds: 0 })
    const token = await as.mint(long)
    await server.verify(token)
    clock.advance(479)
    await server.verify(token)
    expect(as.requests.jwks).toBe(1)
    clock.advance(1)
    const release = as.fault('jwks', 'hang')
    expect(await outcome(server.verify(token))).toBe('accepted')
    await until(() => as.requests.jwks === 2)
    release()
  })

  it('A73 keys serve through an outage until they are ten minutes old, then nobody can tell', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { jwksUri: as.jwksUri, issuer: as.issuer, maxCacheSeconds: 0 })
    const token = await as.mint(long)
    await server.verify(token)
    as.fault('jwks', 'outage')
    clock.advance(599.9)
    expect(await outcome(server.verify(token))).toBe('accepted')
    clock.advance(0.1)
    expect(await outcome(server.verify(token))).toBe('undecided')
  })

  it('A73 F37 staleIfErrorSeconds lets them serve longer, up to its bound and only in an outage', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const options = { jwksUri: as.jwksUri, issuer: as.issuer, maxCacheSeconds: 0, staleIfErrorSeconds: 3_600 }
    const server = resourceServerAt(clock, options)
    const token = await as.mint(long)
    await server.verify(token)
    const end = as.fault('jwks', 'outage')
    clock.advance(600 + 3_599)
    expect(await outcome(server.verify(token))).toBe('accepted')
    clock.advance(1)
    expect(await outcome(server.verify(token))).toBe('undecided')
    end()
    clock.advance(30)
    expect(await outcome(server.verify(token))).toBe('accepted')
  })

  it('A73 a removed key does not live on after the outage ends', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const options = { jwksUri: as.jwksUri, issuer: as.issuer, maxCacheSeconds: 0, staleIfErrorSeconds: 3_600 }
    const server = resourceServerAt(clock, options)
    const token = await as.mint(long)
    await server.verify(token)
    const end = as.fault('jwks', 'outage')
    clock.advance(700)
    expect(await outcome(server.verify(token))).toBe('accepted')
    await as.rotateKeys()
    end()
    clock.advance(30)
    expect(await outcome(server.verify(token))).toBe('key')
  })
})

describe('races', () => {
  it('keys that change while tokens are being verified never leave a token cached under the wrong set', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { jwksUri: as.jwksUri, issuer: as.issuer })
    const old = await Promise.all(Array.from({ length: 20 }, () => as.mint(long)))
    await server.verify(old[0]!)
    await as.rotateKeys()
    const fresh = await Promise.all(Array.from({ length: 20 }, () => as.mint(long)))
    await Promise.all(
      old.flatMap((token, n) => [outcome(server.verify(token)), outcome(server.verify(fresh[n]!))]),
    )
    const after = await Promise.all(old.map((token) => outcome(server.verify(token))))
    expect(new Set(after)).toEqual(new Set(['key']))
    const kept = fresh.map((token) => server.verify(token))
    expect(kept.every((verification) => !(verification instanceof Promise))).toBe(true)
  })

  it('tokens that wait for a held read all get its result, good keys meanwhile serve', async () => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { jwksUri: as.jwksUri, issuer: as.issuer })
    const good = await as.mint(long)
    const other = await as.mint(long)
    await server.verify(good)
    await as.rotateKeys({ keepOld: true })
    const release = as.fault('jwks', 'hang')
    const waiting = await Promise.all(Array.from({ length: 25 }, () => as.mint(long)))
    const pending = waiting.map((token) => outcome(server.verify(token)))
    await until(() => as.requests.jwks === 2)
    expect(await outcome(server.verify(other))).toBe('accepted')
    release()
    expect(new Set(await Promise.all(pending))).toEqual(new Set(['accepted']))
    expect(as.requests.jwks).toBe(2)
  })

  it('a read that fails while many wait is one failure for all of them', async () => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { jwksUri: as.jwksUri, issuer: as.issuer })
    const tokens = await Promise.all(Array.from({ length: 25 }, () => as.mint(long)))
    as.fault('jwks', 'hang')
    const pending = tokens.map((token) => outcome(server.verify(token)))
    await until(() => as.requests.jwks === 1)
    await as.close()
    expect(new Set(await Promise.all(pending))).toEqual(new Set(['undecided']))
    expect(as.requests.jwks).toBe(1)
  })

  it('close ends what is under way as undecided; verified tokens are still known', async () => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { jwksUri: as.jwksUri, issuer: as.issuer })
    const known = await as.mint(long)
    await server.verify(known)
    await as.rotateKeys()
    as.fault('jwks', 'hang')
    const pending = outcome(server.verify(await as.mint(long)))
    await until(() => as.requests.jwks === 2)
    await server.close()
    expect(await pending).toBe('undecided')
    expect(await outcome(server.verify(known))).toBe('accepted')
  })
})
