import type { LoadResult } from './load.js'
import type { StartResult } from './measure.js'
import type { BenchRow } from './rows.js'

/** What one row comes to over all rounds. Fields that a row does not measure are null. */
export interface Figure {
  readonly name: string
  readonly title: string
  readonly requestsPerSecond: number | null
  readonly p50: number | null
  readonly p99: number | null
  readonly milliseconds: number | null
  readonly megabytes: number | null
  /** Compared with the first row of `ratios`; for start-up rows, time over time. */
  readonly ratio: number | null
  readonly ratios: Readonly<Record<string, number>>
  readonly generatorLoad: number | null
  readonly serverMicroseconds: number | null
}

export interface Measured {
  readonly row: BenchRow
  readonly loads: readonly LoadResult[]
  readonly starts: readonly StartResult[]
}

export function figures(all: readonly Measured[]): Figure[] {
  return all.map((one) => figure(one, all))
}

function figure({ row, loads, starts }: Measured, all: readonly Measured[]): Figure {
  const ratios = Object.fromEntries(
    row.against.flatMap((name) => {
      const base = all.find((other) => other.row.name === name)
      return base ? [[name, ratio({ row, loads, starts }, base)]] : []
    }),
  )
  return {
    name: row.name,
    title: row.title,
    requestsPerSecond: median(loads.map((load) => load.requestsPerSecond)),
    p50: median(loads.map((load) => load.p50)),
    p99: median(loads.map((load) => load.p99)),
    milliseconds: median(starts.map((start) => start.milliseconds)),
    megabytes: median(starts.map((start) => start.megabytes)),
    ratio: Object.values(ratios)[0] ?? null,
    ratios,
    generatorLoad: median(loads.map((load) => load.generatorLoad)),
    serverMicroseconds: median(loads.map((load) => load.serverMicroseconds)),
  }
}

/** The median over the rounds of what this row did compared with the other in the same round. */
function ratio(one: Measured, other: Measured): number {
  const amounts = ({ loads, starts }: Measured) => [
    ...loads.map((load) => load.requestsPerSecond),
    ...starts.map((start) => start.milliseconds),
  ]
  const bases = amounts(other)
  return median(amounts(one).map((amount, round) => amount / (bases[round] ?? Number.NaN))) ?? Number.NaN
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0]
  return (low + high) / 2
}
