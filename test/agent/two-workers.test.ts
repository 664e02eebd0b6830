import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CallInProgressError, parseSuspendedCall, resumeCall, resumeTask } from '../../src/agent/index.js'
import type { SuspendedCallStore, Toolset } from '../../src/agent/index.js'
import type { InputResponse } from '../../src/client/input.js'
import { asking, complete, form, task } from './scripted-caller.js'
import { countedPause, suspend, world } from './world.js'

const yes: InputResponse = { action: 'accept', content: { ok: true } }
const question = { ok: form({ ok: { type: 'boolean' } }) }
const crashed = Symbol('crashed')

/** Where a worker stops for ever; it makes as many steps before. */
const lifetimes = fc.option(fc.nat({ max: 8 }), { nil: Infinity })

/** The same toolset and store as one worker sees them: every step waits its turn, and none comes after its death. */
function worker(scheduler: fc.Scheduler, toolset: Toolset, store: SuspendedCallStore, lifetime: number) {
  let steps = 0
  let dead: () => void = () => undefined
  const death = new Promise<typeof crashed>((resolve) => {
    dead = () => {
      resolve(crashed)
    }
  })
  const turn = async <T>(label: string, act: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve(), `${label}, begins`)
    await alive()
    const result = await act()
    await scheduler.schedule(Promise.resolve(), `${label}, ends`)
    await alive()
    return result
  }
  const alive = () => {
    if (steps++ < lifetime) return Promise.resolve()
    dead()
    return new Promise<never>(() => undefined)
  }
  const { caller } = toolset
  return {
    death,
    store: {
      claim: (...given) => turn('claim', () => store.claim(...given)),
      settle: (...given) => turn('settle', () => store.settle(...given)),
      load: (...given) => turn('load', () => store.load(...given)),
    } satisfies SuspendedCallStore,
    toolset: {
      ...toolset,
      caller: {
        callTool: (...given) => turn('callTool', () => caller.callTool(...given)),
        getTask: (...given) => turn('getTask', () => caller.getTask(...given)),
        updateTask: (...given) => turn('updateTask', () => caller.updateTask(...given)),
        cancelTask: (...given) => turn('cancelTask', () => caller.cancelTask(...given)),
      },
    } satisfies Toolset,
  }
}

type Result = { readonly status: string } | typeof crashed | 'busy'

async function race(
  scheduler: fc.Scheduler,
  deaths: readonly number[],
  start: (lifetime: number) => { death: Promise<typeof crashed>; outcome: Promise<{ status: string }> },
): Promise<readonly Result[]> {
  const results = deaths.map((lifetime) => {
    const { death, outcome } = start(lifetime)
    const settled = outcome.catch((error: unknown) => {
      if (error instanceof CallInProgressError) return 'busy' as const
      throw error
    })
    return Promise.race<Result>([settled, death])
  })
  await scheduler.waitFor(Promise.all(results))
  return Promise.all(results)
}

/** Those who got an outcome all got the same one. */
function expectAgreement(results: readonly Result[]): void {
  const outcomes = results
    .filter((result) => typeof result === 'object')
    .map((result) => JSON.stringify(result))
  expect(new Set(outcomes).size).toBeLessThanOrEqual(1)
}

describe('§5.4 two workers on one record, in every order, dying anywhere', () => {
  test('resumeCall runs the call exactly once while the first to claim lives, and never twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), lifetimes, lifetimes, async (scheduler, first, second) => {
        const made = await world({
          calls: [asking(question, 's'), complete({ id: '1' }), complete({ id: '2' })],
        })
        const text = JSON.stringify(await suspend(made))
        const results = await race(scheduler, [first, second], (lifetime) => {
          const { death, store, toolset } = worker(scheduler, made.toolset, made.store, lifetime)
          const answers = { responses: { ok: yes } }
          return { death, outcome: resumeCall(toolset, parseSuspendedCall(text), answers, { store }) }
        })
        const executions = made.caller.calls.length - 1
        expect(executions).toBeLessThanOrEqual(1)
        if (first === Infinity && second === Infinity) expect(executions).toBe(1)
        expectAgreement(results)

        const late = await resumeCall(
          made.toolset,
          parseSuspendedCall(text),
          { responses: { ok: yes } },
          made,
        ).catch((error: unknown) => error)
        if (results.some((result) => typeof result === 'object'))
          expectAgreement([...results, late as Result])
        expect(made.caller.calls.length - 1).toBeLessThanOrEqual(1)
      }),
      { numRuns: 500 },
    )
  })

  test('an answer to a task is delivered at most once, and exactly once when nobody dies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), lifetimes, lifetimes, async (scheduler, first, second) => {
        const made = await world({
          calls: [{ status: 'task', task: task({ status: 'input_required', requests: question }) }],
        })
        const text = JSON.stringify(await suspend(made))
        const results = await race(scheduler, [first, second], (lifetime) => {
          const { death, store, toolset } = worker(scheduler, made.toolset, made.store, lifetime)
          const answers = { responses: { ok: yes } }
          return { death, outcome: resumeTask(toolset, parseSuspendedCall(text), answers, { store }) }
        })
        expect(made.caller.updates.length).toBeLessThanOrEqual(1)
        if (first === Infinity && second === Infinity) expect(made.caller.updates).toHaveLength(1)
        expect(made.caller.calls).toHaveLength(1)
        expectAgreement(results)
      }),
      { numRuns: 500 },
    )
  })

  test('one answers while the other observes: one of them has the step, the other is told so', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), lifetimes, lifetimes, async (scheduler, first, second) => {
        const asks = task({ status: 'input_required', requests: question })
        const made = await world({ calls: [{ status: 'task', task: asks }], tasks: [asks] })
        const text = JSON.stringify(await suspend(made))
        const actions = [{ responses: { ok: yes } }, {}]
        const { pause } = countedPause()
        const results = await race(scheduler, [first, second], (lifetime) => {
          const { death, store, toolset } = worker(scheduler, made.toolset, made.store, lifetime)
          return {
            death,
            outcome: resumeTask(toolset, parseSuspendedCall(text), actions.shift()!, { store, pause }),
          }
        })
        expect(made.caller.updates.length).toBeLessThanOrEqual(1)
        expect(made.caller.calls).toHaveLength(1)
        expectAgreement(results)
        const saved = await made.store.load(made.call.id, 1)
        if (saved?.status === 'suspended' && saved.suspended.pending.kind === 'task') {
          expect(saved.suspended.pending.answered).toHaveLength(made.caller.updates.length)
        }
      }),
      { numRuns: 500 },
    )
  })
})
