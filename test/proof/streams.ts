/**
 * Idle listen streams cost what event streams of Fastify cost: memory of each, and the time until one change has reached
 * all, beside a bare Fastify route and the official server in the same run. Then streams that come and go leave nothing.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from './streams/process.js'

const isShort = process.env['PROOF_SHORT'] === '1'
const streams = isShort ? 500 : 9_500
const visitors = isShort ? 2_000 : 50_000
const rounds = isShort ? 1 : 3
const changesPerRound = 7
/** How much more than bare Fastify a stream may cost. Few streams measure badly. */
const mostMemory = isShort ? 1.6 : 1.25
const mostTime = isShort ? 4 : 1.25
/** Bytes that may be left of all visitors. A single stream kept has 12,000. */
const mostLeft = 1_500_000

const contenders = ['fastify', 'castellan', 'official'] as const
type Contender = (typeof contenders)[number]

interface Cost {
  readonly kilobytes: number
  readonly milliseconds: number
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

async function measure(contender: Contender): Promise<Cost> {
  const { worker: server, first: port } = await Worker.start(contender)
  await using served = server
  const { worker: readers } = await Worker.start('readers')
  await using reading = readers
  await reading.ask({ do: 'come and go', port, streams: 200 })
  await sleep(200)
  const before = await served.ask('memory')
  await reading.ask({ do: 'open', port, streams })
  const kilobytes = ((await served.ask('memory')) - before) / streams / 1000
  const times: number[] = []
  for (let i = 0; i < changesPerRound; i++) {
    await reading.ask({ do: 'hear' })
    const heard = reading.next()
    const begun = await served.ask('change')
    times.push(((await heard) - begun) / 1e6)
  }
  await reading.ask({ do: 'leave' })
  return { kilobytes, milliseconds: median(times) }
}

const costs = new Map<Contender, Cost[]>(contenders.map((name) => [name, []]))
for (let round = 0; round < rounds; round++) {
  for (const contender of contenders) {
    const cost = await measure(contender)
    costs.get(contender)?.push(cost)
    console.log(
      `${contender}: ${cost.kilobytes.toFixed(1)} KB a stream, ${cost.milliseconds.toFixed(0)} ms to all ${streams}`,
    )
  }
}

function typical(contender: Contender): Cost {
  const all = costs.get(contender) ?? []
  return {
    kilobytes: median(all.map(({ kilobytes }) => kilobytes)),
    milliseconds: median(all.map(({ milliseconds }) => milliseconds)),
  }
}

async function comeAndGo(): Promise<void> {
  const { worker: server, first: port } = await Worker.start('castellan')
  await using served = server
  const { worker: readers } = await Worker.start('readers')
  await using reading = readers
  await reading.ask({ do: 'come and go', port, streams: 2_000 })
  await sleep(500)
  const handles = await served.ask('handles')
  const before = await served.ask('memory')
  await reading.ask({ do: 'come and go', port, streams: visitors })
  await sleep(500)
  const left = (await served.ask('memory')) - before
  console.log(`${visitors} streams came and went: ${(left / 1e6).toFixed(2)} MB left`)
  assert.ok(left < mostLeft, `${left} bytes are left of streams that are gone`)
  assert.equal(await served.ask('handles'), handles)
}

await comeAndGo()
const [bare, ours] = [typical('fastify'), typical('castellan')]
const memory = ours.kilobytes / bare.kilobytes
const time = ours.milliseconds / bare.milliseconds
console.log(`beside bare Fastify: ${memory.toFixed(2)} × the memory, ${time.toFixed(2)} × the time`)
assert.ok(memory <= mostMemory, `a stream takes ${memory.toFixed(2)} × the memory of one of bare Fastify`)
assert.ok(time <= mostTime, `a change takes ${time.toFixed(2)} × the time it takes bare Fastify`)
