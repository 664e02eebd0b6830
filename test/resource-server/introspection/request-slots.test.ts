import fc from 'fast-check'
import { expect, it } from 'vitest'
import { requestSlots } from '../../../src/resource-server/introspection/request-slots.js'

const step = fc.oneof(
  fc.constant('take' as const),
  fc.constant('give back' as const),
  fc.record({ abort: fc.nat(30) }),
)

it('A89 slots are never taken twice nor lost, whoever gives up', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(4),
      async (steps, most, mostWaiting) => {
        const slots = requestSlots(most, mostWaiting)
        const controllers: AbortController[] = []
        const waiting: number[] = []
        const got = new Map<number, boolean>()
        let held = 0
        for (const next of steps) {
          if (next === 'take') {
            const id = controllers.push(new AbortController()) - 1
            const taken = slots.take(controllers[id]!.signal)
            if (held < most) {
              expect(taken).toBe(true)
              held += 1
            } else if (waiting.length >= mostWaiting) expect(taken).toBe(false)
            else {
              waiting.push(id)
              void Promise.resolve(taken).then((isTaken) => got.set(id, isTaken))
            }
          } else if (next === 'give back') {
            if (held === 0) continue
            slots.giveBack()
            await Promise.resolve()
            const first = waiting.shift()
            if (first === undefined) held -= 1
            else expect(got.get(first)).toBe(true)
          } else {
            controllers[next.abort]?.abort()
            await Promise.resolve()
            const place = waiting.indexOf(next.abort)
            if (place === -1) continue
            waiting.splice(place, 1)
            expect(got.get(next.abort)).toBe(false)
          }
          for (const id of waiting) expect(got.has(id)).toBe(false)
        }
      },
    ),
  )
})

it('a signal that has aborted gets nothing', () => {
  expect(requestSlots(1, 1).take(AbortSignal.abort())).toBe(false)
})
