import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { requestSlots } from '../../../src/resource-server/introspection/request-slots.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const step = fc.oneof(
  fc.record({ take: fc.integer({ min: 1, max: 40 }) }),
  fc.constant('give back' as const),
  fc.record({ pass: fc.integer({ min: 1, max: 20 }) }),
)

interface Waiting {
  readonly id: number
  readonly until: number
}

it('A89 slots are never taken twice nor lost, whoever gives up', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(4),
      async (steps, most, mostWaiting) => {
        const slots = requestSlots(most, mostWaiting)
        const got = new Map<number, boolean>()
        let waiting: Waiting[] = []
        let held = 0
        let now = 0
        for (const [id, next] of steps.entries()) {
          if (next === 'give back') {
            if (held === 0) continue
            slots.giveBack()
            await Promise.resolve()
            const first = waiting.shift()
            if (first === undefined) held -= 1
            else expect(got.get(first.id)).toBe(true)
          } else if ('take' in next) {
            const taken = slots.take(next.take)
            if (held < most) {
              expect(taken).toBe(true)
              held += 1
            } else if (waiting.length >= mostWaiting) expect(taken).toBe(false)
            else {
              waiting.push({ id, until: now + next.take })
              void Promise.resolve(taken).then((isTaken) => got.set(id, isTaken))
            }
          } else {
            now += next.pass
            await vi.advanceTimersByTimeAsync(next.pass)
            for (const late of waiting.filter(({ until }) => until <= now))
              expect(got.get(late.id)).toBe(false)
            waiting = waiting.filter(({ until }) => until > now)
          }
          for (const { id } of waiting) expect(got.has(id)).toBe(false)
        }
        vi.clearAllTimers()
      },
    ),
  )
})
