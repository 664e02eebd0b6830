import type { Figure } from './figures.js'
import { canPin } from './pinned.js'

/** One JSON object, for programs. */
export function printJson(rows: readonly Figure[], seconds: number, rounds: number): void {
  console.log(JSON.stringify({ node: process.version, pinned: canPin, seconds, rounds, rows }))
}

interface Table {
  readonly title: string
  readonly columns: readonly string[]
  readonly cells: (row: Figure) => readonly string[]
}

const whole = (value: number | null) => Math.round(value ?? 0).toLocaleString('en')
const tenths = (value: number | null) => (value ?? 0).toFixed(1)
const hundredths = (value: number | null) => (value ?? 0).toFixed(2)

const tables: Readonly<Record<Figure['kind'], Table>> = {
  load: {
    title: 'servers, 64 connections',
    columns: ['req/s', 'p50 ms', 'p99 ms', 'cpu µs'],
    cells: ({ requestsPerSecond, p50, p99, cpuMicroseconds }) => [
      ...[whole(requestsPerSecond), tenths(p50), tenths(p99), whole(cpuMicroseconds)],
    ],
  },
  calls: {
    title: 'clients of a server of fixed answers',
    columns: ['calls/s', 'p50 ms', 'p99 ms', 'cpu µs'],
    cells: ({ requestsPerSecond, p50, p99, cpuMicroseconds }) => [
      ...[whole(requestsPerSecond), hundredths(p50), hundredths(p99), whole(cpuMicroseconds)],
    ],
  },
  start: {
    title: 'start to first answer',
    columns: ['ms', 'MB', '', ''],
    cells: ({ milliseconds, megabytes }) => [whole(milliseconds), whole(megabytes), '', ''],
  },
  package: {
    title: 'import, and all of it bundled',
    columns: ['ms', 'kB', '', ''],
    cells: ({ milliseconds, kilobytes }) => [whole(milliseconds), whole(kilobytes), '', ''],
  },
}

/** One table for each kind of row, for people. */
export function printTables(all: readonly Figure[]): void {
  if (!canPin) console.log('Nothing is pinned to a core here: take the ratios with care.')
  for (const [kind, { title, columns, cells }] of Object.entries(tables)) {
    const rows = all.filter((row) => row.kind === kind)
    if (rows.length === 0) continue
    console.log(line(title, columns, 'compared with'))
    for (const row of rows) console.log(line(row.title, cells(row), compared(row)))
    console.log()
  }
  for (const { title } of all.filter(({ otherLoad }) => (otherLoad ?? 0) > 0.95)) {
    console.log(`The other side was at its limit for: ${title}`)
  }
}

function compared({ ratios, cpuRatios }: Figure): string {
  return Object.entries(ratios)
    .map(([name, ratio]) => `${ratio.toFixed(2)}${cpu(cpuRatios[name])} × ${name}`)
    .join(', ')
}

function cpu(ratio: number | undefined): string {
  return ratio === undefined ? '' : ` (cpu ${ratio.toFixed(2)})`
}

function line(title: string, cells: readonly string[], rest = ''): string {
  return `${title.padEnd(46)}${cells.map((cell) => cell.padStart(9)).join('')}   ${rest}`.trimEnd()
}
