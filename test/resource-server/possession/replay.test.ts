import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRejection, memoryReplayStore, type ReplayStore } from '../../../src/resource-server/index.js'
import { firstUse } from '../../../src/resource-server/possession/first-use.js'
import { memoryReplayStoreAt } from '../../../src/resource-server/possession/replay-store.js'
import { dpopKey } from '../../../src/testing/index.js'
import { createGuard } from '../../../src/resource-server/index.js'
import { resource, setClock } from '../fixture.js'
import { dpopChallenge, dpopGuard, told } from './fixture.js'

const replayed = [401, 'proof-replayed', dpopChallenge('invalid_dpop_proof')]

describe('A61 G10 a proof is good once', () => {
  it('is refused the second time', async () => {
    const { present, mintBound, proof } = await dpopGuard()
    const token = await mintBound()
    const once = await proof(token)
    expect(told(await present(`DPoP ${token}`, once))).toBe('alice')
    expect(told(await present(`DPoP ${token}`, once))).toEqual(replayed)
    expect(told(await present(`DPoP ${token}`, await proof(token)))).toBe('alice')
  })

  it('is refused with the same id under another signature or spelling of the URL', async () => {
    const { present, mintBound, proof } = await dpopGuard()
    const token = await mintBound()
    const claims = { jti: 'same' }
    expect(told(await present(`DPoP ${token}`, await proof(token, { claims })))).toBe('alice')
    const again = await proof(token, { claims, url: 'https://API.example.com:443/mcp' })
    expect(told(await present(`DPoP ${token}`, again))).toEqual(replayed)
  })

  it('the same id of another key or for another resource is another proof', async () => {
    const { present, mintBound, proof, guard } = await dpopGuard()
    const claims = { jti: 'same' }
    const [mine, other] = [await mintBound(), await dpopKey()]
    expect(told(await present(`DPoP ${mine}`, await proof(mine, { claims })))).toBe('alice')
    const theirs = await mintBound({}, other)
    expect(told(await present(`DPoP ${theirs}`, await proof(theirs, { claims }, other)))).toBe('alice')
    const decision = await guard.authenticate({
      authorization: [`DPoP ${mine}`],
      proofs: [await proof(mine, { claims, url: 'https://api.example.com/notes' })],
      method: 'POST',
      target: 'https://api.example.com/notes',
      url: '/notes',
    })
    expect(isRejection(decision)).toBe(false)
  })

  it('of 50 at once exactly one wins', async () => {
    const { present, mintBound, proof } = await dpopGuard()
    const token = await mintBound()
    const once = await proof(token)
    const decisions = await Promise.all(Array.from({ length: 50 }, () => present(`DPoP ${token}`, once)))
    expect(decisions.filter((decision) => !isRejection(decision))).toHaveLength(1)
    expect(decisions.map(told).filter((each) => each !== 'alice')).toEqual(Array(49).fill(replayed))
  })

  it('two instances that share a store see each other', async () => {
    const replay = memoryReplayStore()
    const one = await dpopGuard({ replay })
    const other = createGuard({ resourceServer: one.resourceServer, basicScopes: ['mcp'] })
    const token = await one.mintBound()
    const once = await one.proof(token)
    expect(told(await one.present(`DPoP ${token}`, once))).toBe('alice')
    const request = {
      authorization: [`DPoP ${token}`],
      proofs: [once],
      method: 'POST',
      target: resource,
      url: '/',
    }
    expect(told(await other.authenticate(request))).toEqual(replayed)
  })

  it('is remembered for as long as it could be used, and older ones are too old', async () => {
    const { present, mintBound, proof, clock } = await dpopGuard()
    const token = await mintBound()
    const soon = await proof(token, { claims: { iat: clock.now() / 1000 + 5 } })
    expect(told(await present(`DPoP ${token}`, soon))).toBe('alice')
    clock.advance(65)
    expect(told(await present(`DPoP ${token}`, soon))).toEqual(replayed)
    clock.advance(0.001)
    expect(told(await present(`DPoP ${token}`, soon))).toEqual([
      401,
      'proof-time',
      dpopChallenge('invalid_dpop_proof'),
    ])
  })

  it.each<[string, ReplayStore['add']]>([
    [
      'throws',
      () => {
        throw new Error('down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['answers nonsense', () => Promise.resolve('OK') as never],
    ['answers at once with nothing', () => undefined as never],
  ])('A18 a store that %s is 503 without a challenge', async (_, add) => {
    const { present, mintBound, proof } = await dpopGuard({ replay: { add } })
    const token = await mintBound()
    expect(await present(`DPoP ${token}`, await proof(token))).toEqual({
      status: 503,
      reason: 'undecided',
      detail: 'replay store: unavailable',
      headers: { 'cache-control': 'no-store' },
    })
  })

  it('A18 a store that never answers is given up', async () => {
    const verdict = await firstUse({ add: () => new Promise<boolean>(() => undefined) }, 'key', 70)
    expect(verdict).toEqual({ outcome: 'undecided', reason: 'replay store: unavailable' })
  })
})

describe('the store in memory', () => {
  it('when it is full, says that it cannot tell until the oldest ends, and forgets none', () => {
    const clock = setClock()
    const store = memoryReplayStoreAt({ maxProofs: 2 }, clock.now)
    expect(store.add('a', 70)).toBe(true)
    clock.advance(1)
    expect(store.add('b', 70)).toBe(true)
    expect(() => store.add('c', 70)).toThrow('full')
    expect(store.add('a', 70)).toBe(false)
    expect(store.add('b', 70)).toBe(false)
    clock.advance(69)
    expect(store.add('c', 70)).toBe(true)
    expect(store.add('b', 70)).toBe(false)
    expect(() => store.add('a', 70)).toThrow('full')
  })

  it('a key that has ended gives its place back, also behind one that has not', () => {
    const clock = setClock()
    const store = memoryReplayStoreAt({ maxProofs: 2 }, clock.now)
    expect([store.add('a', 100), store.add('b', 1)]).toEqual([true, true])
    clock.advance(2)
    expect(store.add('b', 70)).toBe(true)
  })

  it('when it is full, makes room for what has ended behind a key that lives longer', () => {
    let now = 0
    const store = memoryReplayStoreAt({ maxProofs: 3 }, () => now)
    const kept = [store.add('long', 1000), store.add('a', 10), store.add('b', 10)]
    expect(kept).toEqual([true, true, true])
    now = 11_000
    expect([store.add('c', 10), store.add('d', 10), store.add('long', 10)]).toEqual([true, true, false])
    expect(() => store.add('e', 10)).toThrow('full')
  })

  it('A18 a full store is 503', async () => {
    const { present, mintBound, proof } = await dpopGuard({ replay: memoryReplayStore({ maxProofs: 1 }) })
    const token = await mintBound()
    expect(told(await present(`DPoP ${token}`, await proof(token)))).toBe('alice')
    expect(await present(`DPoP ${token}`, await proof(token))).toMatchObject({
      status: 503,
      reason: 'undecided',
    })
  })

  it('never says yes twice within a lifetime, whatever comes', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      lifetime: fc.integer({ min: 1, max: 20 }),
      wait: fc.integer({ min: 0, max: 15 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (steps, maxProofs) => {
        const clock = setClock()
        const store = memoryReplayStoreAt({ maxProofs }, clock.now)
        const end = new Map<string, number>()
        for (const { key, lifetime, wait } of steps) {
          clock.advance(wait)
          const isFree = (end.get(key) ?? 0) <= clock.now()
          let added: unknown
          try {
            added = store.add(key, lifetime)
          } catch {
            continue
          }
          expect(added).toBe(isFree)
          if (isFree) end.set(key, clock.now() + lifetime * 1000)
        }
      }),
    )
  })
})
