import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Entry } from './listed-entries.js'
import { officialRunner, readChecks, type ScenarioRun, type SuiteRun } from './official-runner.js'

const client = fileURLToPath(new URL('./dist/client.mjs', import.meta.url))

export interface ClientRun extends SuiteRun {
  /** Scenarios whose client did not exit with 0, which the suite itself does not look at. */
  readonly badExits: readonly string[]
}

/** Bundles our client, runs the official suite against it, and reads what it wrote and how each client ended. */
export async function runOfficialClientSuite(
  revision: string,
  excusesFile: string,
  excuses: readonly Entry[],
): Promise<ClientRun> {
  spawnSync('npm', ['run', '--silent', 'conformance:build'], { stdio: 'inherit' })
  const results = await mkdtemp(join(tmpdir(), 'conformance-'))
  const exits = join(results, 'exit-codes')
  const turns = await mkdtemp(join(tmpdir(), 'conformance-turns-'))
  try {
    const { exitCode, output } = await officialRunner(
      [
        'client',
        ...['--command', `exec node ${client}`, '--requirements', revision],
        ...['--expected-failures', excusesFile, '--timeout', '300000', '-o', results],
      ],
      { CASTELLAN_EXIT_CODES: exits, CASTELLAN_TURNS: turns },
    )
    const excused = new Set(excuses.map(({ value }) => value))
    const scenarios = await readScenarios(results)
    return { exitCode, output, scenarios, badExits: await readBadExits(exits, scenarios, excused) }
  } finally {
    await rm(results, { recursive: true })
    await rm(turns, { recursive: true })
  }
}

/** Folders are named `<scenario>-<ISO time>`; a scenario may be in a folder itself, as `auth/…`. */
async function readScenarios(results: string): Promise<ScenarioRun[]> {
  const files = await readdir(results, { recursive: true })
  const found = files.filter((file) => file.endsWith('checks.json')).sort()
  return Promise.all(
    found.map(async (file) => {
      const folder = relative('.', dirname(file))
      return {
        scenario: folder.replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
        checks: await readChecks(join(results, file)),
      }
    }),
  )
}

/** One line `<scenario> <exit code>` per client; one that never ended has none. */
async function readBadExits(
  file: string,
  scenarios: readonly ScenarioRun[],
  excused: ReadonlySet<string>,
): Promise<string[]> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  const good = new Set(lines.filter((line) => line.endsWith(' 0')).map((line) => line.slice(0, -2)))
  return scenarios.map(({ scenario }) => scenario).filter((name) => !good.has(name) && !excused.has(name))
}
