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
  /** The same comparison by the processor time of the servers, which other work on the machine sways less. */
  readonly cpuRatios: Readonly<Record<string, number>>
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

function figure(one: Measured, all: readonly Measured[]): Figure {
  const { row, loads, starts } = one
  const ratios = compared(one, all, amounts)
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
    cpuRatios: compared(one, all, answersPerMicrosecond),
    generatorLoad: median(loads.map((load) => load.generatorLoad)),
    serverMicroseconds: median(loads.map((load) => load.serverMicroseconds)),
  }
}

type Amounts = (measured: Measured) => readonly number[]

const amounts: Amounts = ({ loads, starts }) => [
  ...loads.map((load) => load.requestsPerSecond),
  ...starts.map((start) => start.milliseconds),
]

const answersPerMicrosecond: Amounts = ({ loads }) => loads.map((load) => 1 / load.serverMicroseconds)

/** For each row this one stands against: the median over the rounds of one amount over the other. */
function compared(one: Measured, all: readonly Measured[], of: Amounts): Record<string, number> {
  const found = one.row.against.flatMap((name) => {
    const bases = of(all.find((other) => other.row.name === name) ?? { ...one, loads: [], starts: [] })
    const ratio = median(of(one).flatMap((amount, round) => (bases[round] ? [amount / bases[round]] : [])))
    return ratio === null ? [] : [[name, ratio] as const]
  })
  return Object.fromEntries(found)
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0]
  return (low + high) / 2
}
