import { describe, expect, it } from 'vitest'
import { outcome, resource, resourceServerAt, setClock, startAuthorizationServer } from './fixture.js'

const long = { resource, expiresInSeconds: 80_000 }

describe('rotation', () => {
  it('A72 F36 follows a rotation with one read for many tokens at once', async () => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { issuer: as.issuer })
    await server.verify(await as.mint(long))
    await as.rotateKeys()
    const tokens = await Promise.all(Array.from({ length: 30 }, () => as.mint(long)))
    const outcomes = await Promise.all(tokens.map((token) => outcome(server.verify(token))))
    expect(new Set(outcomes)).toEqual(new Set(['accepted']))
    expect(as.requests.jwks).toBe(2)
  })

  it('A72 B079 a flood of made-up key names costs one read in 30 s and never stops good tokens', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { issuer: as.issuer })
    const good = await as.mint(long)
    await server.verify(good)
    for (const round of [1, 2, 3]) {
      const flood = Array.from({ length: 100 }, (_, n) =>
        as.mint({ ...long, header: { kid: `${round}-${n}` } }),
      )
      const outcomes = await Promise.all(
        (await Promise.all(flood)).map((token) => outcome(server.verify(token))),
      )
      expect(new Set(outcomes)).toEqual(new Set(['key']))
      expect(as.requests.jwks).toBe(1 + round)
      expect(await outcome(server.verify(await as.mint(long)))).toBe('accepted')
      clock.advance(29.999)
      expect(await outcome(server.verify(await as.mint({ ...long, header: { kid: 'late' } })))).toBe('key')
      expect(as.requests.jwks).toBe(1 + round)
      clock.advance(0.001)
    }
  })

  it('A77 an unknown key right after the first read is refused without a second one', async () => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { issuer: as.issuer })
    expect(await outcome(server.verify(await as.mintBad('unknown-kid', long)))).toBe('key')
    expect(as.requests.jwks).toBe(1)
  })

  it('A72 A77 an unknown key is undecided while keys cannot be read; the budget holds regardless of success', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { jwksUri: as.jwksUri, issuer: as.issuer })
    const good = await as.mint(long)
    await server.verify(good)
    const end = as.fault('jwks', 'outage')
    await as.rotateKeys()
    const rotated = await as.mint(long)
    for (const seconds of [0, 1, 10, 18.9]) {
      clock.advance(seconds)
      expect(await outcome(server.verify(rotated))).toBe('undecided')
      expect(as.requests.jwks).toBe(2)
    }
    end()
    clock.advance(0.1)
    expect(await outcome(server.verify(rotated))).toBe('accepted')
    expect(as.requests.jwks).toBe(3)
  })

  it('A71 A72 an unknown key during the back-off of another read does not use up the budget', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { jwksUri: as.jwksUri, issuer: as.issuer })
    await server.verify(await as.mint(long))
    await as.rotateKeys({ keepOld: true })
    const rotated = await as.mint(long)
    const end = as.fault('jwks', 'outage')
    clock.advance(480)
    const known = as.mint({ ...long, header: { kid: as.publishedKeys()[1]?.kid } })
    expect(await outcome(server.verify(await known))).toBe('signature')
    expect(await outcome(server.verify(rotated))).toBe('undecided')
    expect(as.requests.jwks).toBe(2)
    end()
    clock.advance(1)
    expect(await outcome(server.verify(rotated))).toBe('accepted')
    expect(as.requests.jwks).toBe(3)
  })

  it('A74 a key that is gone from the set stops working at once, cached tokens included', async () => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { issuer: as.issuer })
    const old = await as.mint(long)
    expect(await outcome(server.verify(old))).toBe('accepted')
    expect(server.verify(old)).not.toBeInstanceOf(Promise)
    await as.rotateKeys()
    expect(await outcome(server.verify(await as.mint(long)))).toBe('accepted')
    expect(await outcome(server.verify(old))).toBe('key')
  })

  it('A74 an unchanged set keeps verified tokens; one with a further key verifies them anew', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { issuer: as.issuer })
    const token = await as.mint(long)
    await server.verify(token)
    await server.verify(await as.mintBad('unknown-kid', long))
    expect(as.requests.jwks).toBe(2)
    expect(server.verify(token)).not.toBeInstanceOf(Promise)
    await as.rotateKeys({ keepOld: true })
    clock.advance(30)
    await server.verify(await as.mint(long))
    expect(server.verify(token)).toBeInstanceOf(Promise)
    expect(await outcome(server.verify(token))).toBe('accepted')
  })

  it('A74 A72 a new key under the old name replaces it: the old token fails, the new one passes after one read', async () => {
    const as = await startAuthorizationServer()
    const server = resourceServerAt(setClock(), { issuer: as.issuer })
    const old = await as.mint(long)
    await server.verify(old)
    await as.rotateKeys({ sameKid: true })
    expect(await outcome(server.verify(await as.mint(long)))).toBe('accepted')
    expect(as.requests.jwks).toBe(2)
    expect(await outcome(server.verify(old))).toBe('signature')
    expect(as.requests.jwks).toBe(2)
  })

  it('A72 forged signatures share the budget of one read in 30 s and stay refused while keys cannot be read', async () => {
    const as = await startAuthorizationServer()
    const clock = setClock()
    const server = resourceServerAt(clock, { jwksUri: as.jwksUri, issuer: as.issuer })
    await server.verify(await as.mint(long))
    as.fault('jwks', 'outage')
    for (let n = 0; n < 10; n += 1) {
      expect(await outcome(server.verify(await as.mintBad('wrong-key', long)))).toBe('signature')
    }
    expect(as.requests.jwks).toBe(2)
  })
})
