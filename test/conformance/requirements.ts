import { readFileSync } from 'node:fs'
import { suiteFolder } from './official-runner.js'
import { listedEntries } from './listed-entries.js'

export type Revision = '2026-07-28' | '2025-11-25'

/** Scenarios an implementation must pass to conform to a revision; the suite's other scenarios are not scored. */
export function requiredScenarios(
  revision: Revision,
  side: 'server' | 'client' = 'server',
): ReadonlySet<string> {
  const yaml = readFileSync(`${suiteFolder}/requirements/${revision}.yaml`, 'utf8')
  const required = listedEntries(yaml).filter((entry) => entry.section === side)
  return new Set(required.map((entry) => entry.value))
}
