import type { Connect } from './clients/connect.js'
import { loadResult } from './load-result.js'
import { Tally } from './tally.js'
import { echoedText } from './workload.js'

/** What a calling client is told. */
export interface CallsPlan {
  readonly file: string
  readonly args: readonly string[]
  readonly port: number
  readonly pid: number
  readonly inFlight: number
  readonly seconds: number
}

const plan: CallsPlan = JSON.parse(process.argv[2] ?? '')
const { connect }: { readonly connect: Connect } = await import(`./${plan.file}`)
const call = await connect(`http://127.0.0.1:${plan.port}/mcp`, plan.args)
const tally = new Tally()

/** One call after another, for as long as the process lives. */
async function keepCalling(): Promise<never> {
  for (;;) {
    const sentAt = performance.now()
    const text = await call({ text: echoedText })
    tally.add(performance.now() - sentAt)
    if (text !== echoedText) tally.refused += 1
  }
}

for (let loop = 0; loop < plan.inFlight; loop += 1) void keepCalling()
const { milliseconds, here, there } = await tally.measured(plan.seconds, plan.pid)
const { latencies, refused } = tally
const stretch = { latencies, refused, milliseconds, measuredCpu: here, otherCpu: there }
console.log(JSON.stringify(loadResult(stretch)))
process.exit()
