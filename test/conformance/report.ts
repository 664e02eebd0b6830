import type { ScenarioVerdict, Verdict } from './verdict.js'

const columns = ['pass', 'fail', 'warn', 'skip', 'excused'] as const
type Row = Readonly<Record<(typeof columns)[number], number>>

/** Prints one leg: a line per scenario, totals per group, then everything that is wrong. */
export function printLeg(title: string, { scenarios, stale }: Verdict, required: ReadonlySet<string>): void {
  const groups = [
    { name: 'required', members: scenarios.filter((s) => required.has(s.scenario)) },
    { name: 'not scored', members: scenarios.filter((s) => !required.has(s.scenario)) },
  ]
  console.log(`\n${title}`)
  console.log(line('scenario', [...columns]))
  for (const { name, members } of groups) {
    for (const member of members) console.log(line(member.scenario, cells(row(member))))
    const green = members.filter(isGreen).length
    console.log(
      line(`= ${name}: ${green} of ${members.length} scenarios green`, cells(sum(members.map(row)))),
    )
  }
  for (const { scenario, unexcused, skipped } of scenarios) {
    for (const { id, status, errorMessage = '' } of [...skipped, ...unexcused]) {
      console.log(`${status} ${scenario}:${id} ${errorMessage}`.trimEnd())
    }
  }
  for (const excuse of stale) console.log(`STALE ${excuse} is excused and did not fail`)
}

/** A scenario without a single passed check proves nothing. */
function isGreen({ counts }: ScenarioVerdict): boolean {
  return counts.SUCCESS > 0 && counts.FAILURE + counts.WARNING === 0
}

function row({ counts, excused }: ScenarioVerdict): Row {
  return { pass: counts.SUCCESS, fail: counts.FAILURE, warn: counts.WARNING, skip: counts.SKIPPED, excused }
}

function sum(rows: readonly Row[]): Row {
  const total = { pass: 0, fail: 0, warn: 0, skip: 0, excused: 0 }
  for (const one of rows) for (const column of columns) total[column] += one[column]
  return total
}

function cells(values: Row): string[] {
  return columns.map((column) => String(values[column]))
}

function line(name: string, values: readonly string[]): string {
  return name.padEnd(58) + values.map((value) => value.padStart(8)).join('')
}
