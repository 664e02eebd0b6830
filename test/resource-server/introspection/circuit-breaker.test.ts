import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { circuitBreaker, type Attempt } from '../../../src/resource-server/introspection/circuit-breaker.js'
import { setClock } from '../fixture.js'

/** A call that ends when told. */
function pending() {
  let end: (attempt: Attempt) => void = () => undefined
  const promise = new Promise<Attempt>((resolve) => (end = resolve))
  return { call: () => promise, end }
}

const fails = () => Promise.resolve<Attempt>({ outage: 'down' })
const works = () => Promise.resolve<Attempt>({})

describe('A89 the breaker', () => {
  it('what began before an outage neither ends nor lengthens it', async () => {
    const clock = setClock()
    const breaker = circuitBreaker(clock)
    const [good, bad] = [pending(), pending()]
    const early = [breaker.run(good.call), breaker.run(bad.call)]
    for (let n = 0; n < 5; n += 1) await breaker.run(fails)
    good.end({})
    bad.end({ outage: 'down' })
    await Promise.all(early)
    expect(breaker.blocked).toEqual({ ok: false, reason: 'down', retryAfterSeconds: 1 })
    clock.advance(1)
    expect(await breaker.run(works)).toEqual({})
    expect(breaker.blocked).toBeUndefined()
  })

  it('one call at a time finds out whether it is over', async () => {
    const clock = setClock()
    const breaker = circuitBreaker(clock)
    for (let n = 0; n < 5; n += 1) await breaker.run(fails)
    clock.advance(1)
    const probe = pending()
    const probing = breaker.run(probe.call)
    expect(breaker.blocked).toMatchObject({ reason: 'down', retryAfterSeconds: 1 })
    expect(await breaker.run(works)).toMatchObject({ ok: false })
    probe.end({})
    await probing
    expect(breaker.blocked).toBeUndefined()
  })

  it('blocks after five failures in a row, exactly, whatever came before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 60 }), async (outcomes) => {
        const clock = setClock()
        const breaker = circuitBreaker(clock)
        let inARow = 0
        let generation = 0
        for (const isGood of outcomes) {
          clock.advance(31)
          await breaker.run(isGood ? works : fails)
          inARow = isGood ? 0 : inARow + 1
          if (inARow >= 5) generation += 1
          expect(breaker.blocked !== undefined).toBe(inARow >= 5)
          expect(breaker.generation).toBe(generation)
        }
      }),
    )
  })
})
