/**
 * Three server processes behind a plain round-robin proxy, on one Redis: each round of questions, each stream, read, answer
 * and cancellation is taken by whichever process is next. 500 mixed flows go right, and none is lost. Then the processes are
 * killed and started again during 500 more: every task ends as completed, failed with a reason, or cancelled; nobody waits
 * for ever; no event reaches a stream that may not see it.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { testAuthorizationServer } from 'castellan/testing'
import { freePort } from '../store/free-port.js'
import { startRedis } from '../store/redis.js'
import { startBalancer } from './scale-out/balancer.js'
import { kinds, run, type Ending } from './scale-out/flows.js'
import { Instance } from './scale-out/instances.js'

const isShort = process.env['PROOF_SHORT'] === '1'
const flowsPerPart = isShort ? 30 : 500
const atOnce = isShort ? 10 : 25
const flowsPerKill = isShort ? 10 : 50
const users = ['alice', 'bob', 'carol', 'dave', 'erin']
/** Nobody waits longer for anything. */
const patienceMs = 90_000

await using redis = await startRedis()
const authorization = await testAuthorizationServer()
const port = await freePort()
const endpoint = `http://127.0.0.1:${port}/mcp`
const key = randomBytes(32).toString('base64url')
const instances: Instance[] = []
for (let count = 0; count < 3; count++) {
  const setup = { redis: redis.url, resource: endpoint, issuer: authorization.issuer, key }
  instances.push(new Instance({ port: await freePort(), ...setup }))
}
await using balancer = await startBalancer(
  port,
  instances.map((instance) => instance.port),
)

/** Tasks by who created them. */
const tasks: { readonly user: string; readonly taskId: string }[] = []

interface Counts {
  readonly endings: Record<string, number>
  readonly wrong: string[]
  lost: number
}

async function flows(part: string, killing?: Killing): Promise<Counts> {
  const counts: Counts = { endings: {}, wrong: [], lost: 0 }
  let next = 0
  const lane = async (): Promise<void> => {
    for (let number = next++; number < flowsPerPart; number = next++) {
      await killing?.begun(number)
      const ending = await flow(part, number, killing !== undefined, counts)
      if (ending !== undefined) counts.endings[ending] = (counts.endings[ending] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return counts
}

async function flow(
  part: string,
  number: number,
  mayLose: boolean,
  counts: Counts,
): Promise<Ending | undefined> {
  const kind = kinds[number % kinds.length]!
  const user = users[Math.floor(Math.random() * users.length)]!
  const id = `${part}-${number}`
  try {
    return await run({
      ...{ kind, user, users, id, endpoint, seats: number },
      token: await authorization.mint({ resource: endpoint, scopes: ['orders'], subject: user }),
      foreignTask: tasks.findLast((task) => task.user !== user)?.taskId,
      signal: AbortSignal.timeout(patienceMs),
      created: (taskId) => tasks.push({ user, taskId }),
      lost(error) {
        if (!mayLose) throw error
        counts.lost++
      },
    })
  } catch (error) {
    counts.wrong.push(`${id}, ${kind}: ${String(error)}`)
    return undefined
  }
}

/** Kills the processes in turn, one with every so many flows begun, and starts each again before the next is due. */
class Killing {
  kills = 0
  #restarted: Promise<void> = Promise.resolve()

  async begun(number: number): Promise<void> {
    if (number % flowsPerKill !== flowsPerKill - 1) return
    const earlier = this.#restarted
    this.#restarted = earlier.then(() => this.#killNext())
    this.#restarted.catch(() => undefined)
    await earlier
  }

  async #killNext(): Promise<void> {
    await pause(Math.random() * 300)
    const victim = instances[this.kills++ % instances.length]!
    await victim.kill()
    await pause(Math.random() * 300)
    await victim.start()
  }

  over(): Promise<void> {
    return this.#restarted
  }
}

function report(what: string, { endings, wrong, lost }: Counts): void {
  const endedAs = Object.entries(endings).map(([ending, count]) => `${count} ${ending}`)
  console.log(
    `${what}: ${flowsPerPart} flows: ${endedAs.join(', ')}; ${wrong.length} wrong, ${lost} answers lost`,
  )
  for (const one of wrong.slice(0, 10)) console.log(`  ${one}`)
}

try {
  await Promise.all(instances.map((instance) => instance.start()))
  const calm = await flows('calm')
  const shares = [...balancer.taken.values()]
  const killing = new Killing()
  const killed = await flows('killed', killing)
  await killing.over()

  report('Undisturbed', calm)
  console.log(`Requests taken by each process: ${shares.join(', ')}; ${tasks.length} tasks in all`)
  report(`With ${killing.kills} processes killed`, killed)
  assert.deepEqual(calm.wrong, [])
  assert.deepEqual(killed.wrong, [])
  assert.ok(
    shares.length === instances.length && (calm.endings['crossed'] ?? 0) > 0,
    'One process did it all',
  )
  assert.equal(killing.kills, flowsPerPart / flowsPerKill)
  assert.equal(
    Object.values(calm.endings).reduce((sum, count) => sum + count, 0),
    flowsPerPart,
  )
  assert.equal(calm.endings['failed with a reason'], undefined, 'A task failed undisturbed')
} finally {
  await Promise.all(instances.map((instance) => instance.kill()))
  await authorization.close()
}
