import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { AnswerReader } from './answer-reader.js'

/** What one run of the load generator measured. */
export interface LoadResult {
  readonly requestsPerSecond: number
  readonly p50: number
  readonly p99: number
  /** Answers that were not 200. */
  readonly refused: number
  /** Share of one core the generator itself used: near 1, it is the limit and not the server. */
  readonly generatorLoad: number
  /** Processor time of the server per answer, in microseconds: steadier than the rate on a busy machine. */
  readonly serverMicroseconds: number
}

interface LoadPlan {
  readonly port: number
  readonly pid: number
  readonly connections: number
  readonly seconds: number
  readonly request: string
}

const plan: LoadPlan = JSON.parse(process.argv[2] ?? '')
const request = Buffer.from(plan.request, 'base64')
const latencies: number[] = []
let isMeasuring = false
let answers = 0
let refused = 0

/** One request at a time on one connection, for as long as the process lives. */
function keepAsking(): void {
  let sentAt = 0
  const socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true })
  const ask = () => {
    sentAt = performance.now()
    socket.write(request)
  }
  const reader = new AnswerReader((status) => {
    if (isMeasuring) latencies.push(performance.now() - sentAt)
    if (status !== 200) refused += 1
    answers += 1
    ask()
  })
  socket.on('connect', ask)
  socket.on('data', (bytes) => reader.push(bytes))
  socket.on('error', () => (refused += 1))
}

/** Processor time another process has used; Linux counts it in hundredths of a second. */
function usedBy(pid: number): number {
  try {
    const [user, system] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? []
    return (Number(user) + Number(system)) * 10_000
  } catch {
    return Number.NaN
  }
}

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** A busy machine answers slowly, and what was not called often is not compiled yet. */
async function warmedUp(): Promise<void> {
  for (let seconds = 0; seconds < 1.5 || (seconds < 6 && answers < 8000); seconds += 0.1) await pause(0.1)
}

for (let connection = 0; connection < plan.connections; connection += 1) keepAsking()
await warmedUp()
const cpu = process.cpuUsage()
const serverCpu = usedBy(plan.pid)
const start = performance.now()
isMeasuring = true
await pause(plan.seconds)
isMeasuring = false
const elapsed = performance.now() - start
const used = process.cpuUsage(cpu)
const serverUsed = usedBy(plan.pid) - serverCpu

latencies.sort((a, b) => a - b)
const quantile = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN
const result: LoadResult = {
  requestsPerSecond: latencies.length / (elapsed / 1000),
  p50: quantile(0.5),
  p99: quantile(0.99),
  refused,
  generatorLoad: (used.user + used.system) / 1000 / elapsed,
  serverMicroseconds: serverUsed / latencies.length,
}
console.log(JSON.stringify(result))
process.exit()
