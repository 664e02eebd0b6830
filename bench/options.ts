import { parseArgs } from 'node:util'
import type { BenchRow } from './row.js'
import { rows } from './rows.js'

export interface BenchOptions {
  readonly rows: readonly BenchRow[]
  readonly seconds: number
  readonly rounds: number
  readonly isJson: boolean
}

export function benchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string' },
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '6' },
      json: { type: 'boolean', default: false },
    },
  })
  const seconds = positive('--seconds', values.seconds)
  return {
    rows: picked(values.rows),
    seconds,
    rounds: positive('--rounds', values.rounds),
    isJson: values.json,
  }
}

function picked(names: string | undefined): readonly BenchRow[] {
  if (names === undefined) return rows
  return names.split(',').map((name) => {
    const row = rows.find((known) => known.name === name)
    if (row) return row
    throw new Error(`No row is called ${name}; there are ${rows.map((known) => known.name).join(', ')}`)
  })
}

function positive(option: string, value: string): number {
  const number = Number(value)
  if (number > 0) return number
  throw new Error(`${option} must be a positive number`)
}
