import type { LoadResult } from './load-result.js'
import type { StartResult } from './measure.js'
import type { PackageResult } from './package.js'
import type { BenchRow } from './row.js'

/** What one row comes to over all rounds. Fields that a row does not measure are null. */
export interface Figure {
  readonly kind: BenchRow['kind']
  readonly name: string
  readonly title: string
  readonly requestsPerSecond: number | null
  readonly p50: number | null
  readonly p99: number | null
  readonly milliseconds: number | null
  readonly megabytes: number | null
  /** Size of the bundle. */
  readonly kilobytes: number | null
  /** Compared with the first row of `ratios`; for rows of starting and importing, time over time. */
  readonly ratio: number | null
  readonly ratios: Readonly<Record<string, number>>
  /** The same comparison by the processor time per answer, which other work on the machine sways less. */
  readonly cpuRatios: Readonly<Record<string, number>>
  readonly otherLoad: number | null
  readonly cpuMicroseconds: number | null
}

export interface Measured {
  readonly row: BenchRow
  readonly loads: readonly LoadResult[]
  readonly starts: readonly StartResult[]
  readonly packages: readonly PackageResult[]
}

export function figures(all: readonly Measured[]): Figure[] {
  return all.map((one) => figure(one, all))
}

function figure(one: Measured, all: readonly Measured[]): Figure {
  const { row, loads, starts, packages } = one
  const ratios = compared(one, all, amounts)
  return {
    kind: row.kind,
    name: row.name,
    title: row.title,
    requestsPerSecond: median(loads.map((load) => load.requestsPerSecond)),
    p50: median(loads.map((load) => load.p50)),
    p99: median(loads.map((load) => load.p99)),
    milliseconds: median([...starts, ...packages].map(({ milliseconds }) => milliseconds)),
    megabytes: median(starts.map((start) => start.megabytes)),
    kilobytes: median(packages.map(({ kilobytes }) => kilobytes)),
    ratio: Object.values(ratios)[0] ?? null,
    ratios,
    cpuRatios: compared(one, all, answersPerMicrosecond),
    otherLoad: median(loads.map((load) => load.otherLoad)),
    cpuMicroseconds: median(loads.map((load) => load.cpuMicroseconds)),
  }
}

type Amounts = (measured: Measured) => readonly number[]

const amounts: Amounts = ({ loads, starts, packages }) => [
  ...loads.map((load) => load.requestsPerSecond),
  ...[...starts, ...packages].map(({ milliseconds }) => milliseconds),
]

const answersPerMicrosecond: Amounts = ({ loads }) => loads.map((load) => 1 / load.cpuMicroseconds)

/** For each row this one stands against: the median over the rounds of one amount over the other. */
function compared(one: Measured, all: readonly Measured[], of: Amounts): Record<string, number> {
  const found = one.row.against.flatMap((name) => {
    const other = all.find(({ row }) => row.name === name)
    const bases = other === undefined ? [] : of(other)
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
