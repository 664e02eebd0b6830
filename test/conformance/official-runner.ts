import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const suiteFolder = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance', import.meta.url),
)
const hook = new URL('./glob-hook.mjs', import.meta.url).href

export type CheckStatus = 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'

export interface Check {
  readonly id: string
  readonly status: CheckStatus
  readonly errorMessage?: string
}

export interface ScenarioRun {
  readonly scenario: string
  readonly checks: readonly Check[]
}

export interface SuiteRun {
  readonly exitCode: number
  readonly output: string
  readonly scenarios: readonly ScenarioRun[]
}

/** Runs the official suite against a server that is already listening, and reads what it wrote. */
export async function runOfficialSuite(
  url: string,
  revision: string,
  excusesFile: string,
): Promise<SuiteRun> {
  const results = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    const args = ['--url', url, '--requirements', revision, '--expected-failures', excusesFile, '-o', results]
    const { exitCode, output } = await officialRunner(['server', ...args])
    return { exitCode, output, scenarios: await readScenarios(results) }
  } finally {
    await rm(results, { recursive: true })
  }
}

/** Runs the official program to its end. */
export async function officialRunner(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ exitCode: number; output: string }> {
  const child = spawn(process.execPath, ['--import', hook, `${suiteFolder}/dist/index.js`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
  return { exitCode, output: Buffer.concat(chunks).toString() }
}

/** Folders are named `server-<scenario>-<ISO time>`. */
async function readScenarios(results: string): Promise<ScenarioRun[]> {
  const folders = (await readdir(results)).sort()
  return Promise.all(
    folders.map(async (folder) => {
      const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
      return { scenario, checks: await readChecks(join(results, folder, 'checks.json')) }
    }),
  )
}

/** A scenario that breaks off leaves no file. */
export async function readChecks(file: string): Promise<Check[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Check[]
  } catch {
    return [{ id: 'broke-off', status: 'FAILURE', errorMessage: 'The scenario ended without a result' }]
  }
}
