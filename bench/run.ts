import { compileBench } from './compiled.js'
import { credentials } from './credentials.js'
import { figures, type Measured } from './figures.js'
import type { LoadResult } from './load-result.js'
import { saveListBytes } from './list-bytes.js'
import { measureCalls, measureLoad, measureStart, type Setting, type StartResult } from './measure.js'
import { benchOptions } from './options.js'
import { measurePackage, type PackageResult } from './package.js'
import { printJson, printTables } from './report.js'
import type { BenchRow } from './row.js'

interface Progress extends Measured {
  readonly loads: LoadResult[]
  readonly starts: StartResult[]
  readonly packages: PackageResult[]
}

const { rows, seconds, rounds, isJson } = benchOptions(process.argv.slice(2))
const setting = await prepared(rows, seconds)
const records: Progress[] = rows.map((row) => ({
  ...{ row, loads: [], starts: [], packages: [] },
}))
for (let round = 1; round <= rounds; round += 1) {
  for (const record of records) {
    process.stderr.write(`round ${round} of ${rounds}: ${record.row.title}\n`)
    await measure(record, setting)
  }
}
if (isJson) printJson(figures(records), seconds, rounds)
else printTables(figures(records))

async function prepared(chosen: readonly BenchRow[], forSeconds: number): Promise<Setting> {
  await compileBench()
  const { tokens, keys, proof } = await credentials()
  const env = { BENCH_KEYS: keys }
  const needsList = chosen.some((row) => row.name === 'list-string')
  const list = needsList ? { BENCH_LIST: await saveListBytes(tokens.ES256[0] ?? '', env) } : {}
  return { tokens, proof, env: { ...env, ...list }, seconds: forSeconds }
}

async function measure({ row, loads, starts, packages }: Progress, inSetting: Setting): Promise<void> {
  if (row.kind === 'load') loads.push(await measureLoad(row, inSetting))
  else if (row.kind === 'calls') loads.push(await measureCalls(row, inSetting))
  else if (row.kind === 'start') starts.push(await measureStart(row, inSetting))
  else packages.push(await measurePackage(row))
}
