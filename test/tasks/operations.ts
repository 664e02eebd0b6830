import fc from 'fast-check'
import type { TaskOperation } from '../../src/tasks/task-state.js'

const run = fc.constantFrom('a', 'b', 'c')
/** Names of questions, and what only a client could make up. */
const asked = fc.constantFrom('q1', 'q2', 'toString')
const key = fc.oneof(asked, fc.constant('__proto__'))
const message = fc.string()
const request = fc
  .record({ message })
  .map((params) => ({ method: 'elicitation/create', params: { ...params, requestedSchema: {} } }) as const)

/** Anything that can happen to a task, by runs that count and runs that do not. */
export const operation: fc.Arbitrary<TaskOperation> = fc.oneof(
  fc.record({ do: fc.constant('begin' as const), run }),
  fc.record({ do: fc.constant('tell' as const), run, message }),
  fc.record({ do: fc.constant('ask' as const), run, key: asked, request }),
  fc.record({ do: fc.constant('withdraw' as const), run, key }),
  fc.record({
    do: fc.constant('answer' as const),
    answers: fc.dictionary(key, fc.record({ action: message })),
  }),
  fc.record({ do: fc.constant('complete' as const), run, result: fc.record({ message }) }),
  fc.record({ do: fc.constant('fail' as const), run, error: fc.record({ code: fc.integer(), message }) }),
  fc.record({ do: fc.constant('cancel' as const) }),
)
