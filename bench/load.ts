import { connect } from 'node:net'
import { AnswerReader } from './answer-reader.js'
import { loadResult } from './load-result.js'
import { Tally } from './tally.js'

/** What the load generator is told. */
export interface LoadPlan {
  readonly port: number
  readonly pid: number
  readonly connections: number
  readonly seconds: number
  /** In base64; connections take them in turn. */
  readonly requests: readonly string[]
}

const plan: LoadPlan = JSON.parse(process.argv[2] ?? '')
const requests = plan.requests.map((request) => Buffer.from(request, 'base64'))
const tally = new Tally()

/** One request at a time on one connection, for as long as the process lives. */
function keepAsking(request: Buffer): void {
  let sentAt = 0
  const socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true })
  const ask = () => {
    sentAt = performance.now()
    socket.write(request)
  }
  const reader = new AnswerReader((status) => {
    tally.add(performance.now() - sentAt)
    if (status !== 200) tally.refused += 1
    ask()
  })
  socket.on('connect', ask)
  socket.on('data', (bytes) => reader.push(bytes))
  socket.on('error', () => (tally.refused += 1))
}

for (let connection = 0; connection < plan.connections; connection += 1) {
  keepAsking(requests[connection % requests.length] ?? Buffer.alloc(0))
}
const { milliseconds, here, there } = await tally.measured(plan.seconds, plan.pid)
const { latencies, refused } = tally
const stretch = { latencies, refused, milliseconds, measuredCpu: there, otherCpu: here }
console.log(JSON.stringify(loadResult(stretch)))
process.exit()
