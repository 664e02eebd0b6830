import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  after,
  newState,
  openQuestions,
  type TaskOperation,
  type TaskState,
} from '../../src/tasks/task-state.js'
import { operation } from './operations.js'

function walk(
  operations: readonly TaskOperation[],
  each: (before: TaskState, next: TaskState, one: TaskOperation) => void,
) {
  let state = newState
  for (const one of operations) {
    const next = after(state, one)
    each(state, next, one)
    state = next
  }
}

test('TK-7: over any operations, late, doubled and by lost workers, a final state never changes', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
      walk(operations, (before, next, one) => {
        if (before.phase !== 'open') expect(next).toBe(before)
        expect(after(next, one)).toBe(next)
      })
    }),
  )
})

test('TK-11: a key belongs to its first question for ever, and its first answer stands', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
      walk(operations, (before, next) => {
        if (before.phase !== 'open' || next.phase !== 'open') return
        for (const [name, question] of Object.entries(before.questions)) {
          expect(next.questions[name]?.request).toBe(question.request)
          if (question.answer !== undefined) expect(next.questions[name]?.answer).toBe(question.answer)
        }
        for (const name of Object.keys(openQuestions(next))) {
          expect(next.questions[name]?.answer).toBeUndefined()
          expect(next.questions[name]?.withdrawn).toBeUndefined()
        }
      })
    }),
  )
})

test('only the run that began last can tell, ask, complete or fail', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
      walk(operations, (before, next, one) => {
        if (before.phase !== 'open' || one.do === 'begin' || !('run' in one)) return
        if (before.run !== one.run) expect(next).toBe(before)
      })
    }),
  )
})
