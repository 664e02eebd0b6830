import type { Figure } from './figures.js'
import { canPin } from './pinned.js'

/** One JSON object, for programs. */
export function printJson(rows: readonly Figure[], seconds: number, rounds: number): void {
  console.log(JSON.stringify({ node: process.version, pinned: canPin, seconds, rounds, rows }))
}

/** Two tables, for people. */
export function printTables(rows: readonly Figure[]): void {
  const loads = rows.filter((row) => row.requestsPerSecond !== null)
  const starts = rows.filter((row) => row.milliseconds !== null)
  if (!canPin) console.log('Nothing is pinned to a core here: take the ratios with care.')
  if (loads.length > 0) {
    console.log(line('64 connections', ['req/s', 'p50 ms', 'p99 ms', 'cpu µs'], 'compared with'))
    for (const row of loads) console.log(line(row.title, loadCells(row), compared(row)))
  }
  if (starts.length > 0) {
    console.log(line('\nstart to first answer', ['ms', 'MB', '', '']))
    for (const row of starts) console.log(line(row.title, startCells(row), compared(row)))
  }
  const saturated = loads.filter((row) => (row.generatorLoad ?? 0) > 0.95)
  for (const row of saturated) console.log(`The load generator was at its limit for: ${row.title}`)
}

function loadCells({ requestsPerSecond, p50, p99, serverMicroseconds }: Figure): string[] {
  const rate = Math.round(requestsPerSecond ?? 0).toLocaleString('en')
  return [rate, (p50 ?? 0).toFixed(1), (p99 ?? 0).toFixed(1), (serverMicroseconds ?? 0).toFixed(0)]
}

function startCells({ milliseconds, megabytes }: Figure): string[] {
  return [
    Math.round(milliseconds ?? 0).toLocaleString('en'),
    Math.round(megabytes ?? 0).toLocaleString('en'),
    '',
  ]
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
  return `${title.padEnd(42)}${cells.map((cell) => cell.padStart(10)).join('')}   ${rest}`.trimEnd()
}
