import type { Entry } from './listed-entries.js'
import type { Check, CheckStatus, ScenarioRun } from './official-runner.js'

export interface ScenarioVerdict {
  readonly scenario: string
  readonly counts: Readonly<Record<CheckStatus, number>>
  /** Failures and warnings with an excuse. */
  readonly excused: number
  /** Failures and warnings without one. */
  readonly unexcused: readonly Check[]
  /** Checks the suite left out, which proves nothing either way. */
  readonly skipped: readonly Check[]
}

export interface Verdict {
  readonly scenarios: readonly ScenarioVerdict[]
  /** Excuses for checks that pass or do not exist. */
  readonly stale: readonly string[]
  readonly isGood: boolean
}

/** Holds every scenario to the same rule, scored or not: no failure and no warning without an excuse, and no excuse too many. */
export function verdict(runs: readonly ScenarioRun[], excuses: readonly Entry[]): Verdict {
  const excusable = new Set(excuses.map((entry) => entry.value))
  const used = new Set<string>()
  const scenarios = runs.map((run) => judged(run, excusable, used))
  const stale = [...excusable].filter((excuse) => !used.has(excuse))
  const isGood = runs.length > 0 && stale.length === 0 && scenarios.every((s) => s.unexcused.length === 0)
  return { scenarios, stale, isGood }
}

function judged(run: ScenarioRun, excusable: ReadonlySet<string>, used: Set<string>): ScenarioVerdict {
  const counts = { SUCCESS: 0, FAILURE: 0, WARNING: 0, SKIPPED: 0, INFO: 0 }
  const unexcused: Check[] = []
  let excused = 0
  for (const check of run.checks) {
    counts[check.status] += 1
    if (check.status !== 'FAILURE' && check.status !== 'WARNING') continue
    const excuse = [`${run.scenario}:${check.id}`, run.scenario].find((entry) => excusable.has(entry))
    if (excuse === undefined) unexcused.push(check)
    else {
      excused += 1
      used.add(excuse)
    }
  }
  const skipped = run.checks.filter((check) => check.status === 'SKIPPED')
  return { scenario: run.scenario, counts, excused, unexcused, skipped }
}
