import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exchange, type HostileAnswer } from './answer.js'
import { fuzzServers, type FuzzServer, type FuzzServers } from './fuzz-servers.js'
import { generate, type Generated } from './generate.js'
import { broken } from './invariants.js'
import { randomOf } from './random.js'
import { bytesOf, modernPost } from './request.js'

/*
 * FUZZ_SEED replays a run, FUZZ_REQUESTS makes it shorter, FUZZ_FROM begins at a later request: what is printed for a
 * failure runs that request alone.
 */
const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const count = Number(process.env['FUZZ_REQUESTS'] ?? 20_000)
const from = Number(process.env['FUZZ_FROM'] ?? 0)
const workers = 8
const mostFailures = 5

let servers: FuzzServers
let before: string[]
const unhandled: unknown[] = []
const note = (reason: unknown) => void unhandled.push(reason)
beforeAll(async () => {
  process.on('unhandledRejection', note).on('uncaughtException', note)
  before = handles()
  servers = await fuzzServers()
})
afterAll(() => {
  process.off('unhandledRejection', note).off('uncaughtException', note)
})

const handles = () =>
  process
    .getActiveResourcesInfo()
    .filter((name) => !/Timeout|Immediate|PipeWrap|TTY/.test(name))
    .sort()

interface Shot extends Generated {
  readonly server: FuzzServer
  readonly lines: readonly string[]
}

function shot(index: number): Shot {
  const random = randomOf(seed, index)
  const server = random.pick(
    servers.all.flatMap((one) => (one.kind === 'undecided' ? [one] : [one, one, one, one])),
  )
  const credentials =
    server.credentials.length === 0 || random.chance(0.05) ? [] : [random.pick(server.credentials)]
  const lines = [`X-Fuzz: ${index}`, ...credentials]
  return { server, lines, ...generate(random) }
}

async function fire({ server, lines, request, raw }: Shot): Promise<HostileAnswer | undefined> {
  if (raw) {
    const answers = await exchange(server.port, bytesOf(request, lines), request.halfClose)
    return answers.find(({ status }) => status >= 200)
  }
  const headers: Record<string, string> = { host: 'localhost' }
  for (const line of [...request.lines, ...lines]) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const {
    statusCode,
    headers: answered,
    body,
  } = await server.app.inject({
    method: request.method,
    url: request.target,
    headers,
    payload: Buffer.from(request.body),
  })
  const given = Object.entries(answered).map(([name, value]) => [name, String(value)] as const)
  return { status: statusCode, headers: new Map(given), text: body }
}

const seen = new Map<string, number>()

async function judge(index: number): Promise<string | undefined> {
  const one = shot(index)
  const answer = await fire(one).catch((error: unknown) => String(error))
  const wrong =
    typeof answer === 'string'
      ? answer
      : answer === undefined
        ? one.brokenHttp
          ? undefined
          : 'no answer'
        : broken(one.server.kind, one, answer)
  const status = typeof answer === 'object' ? answer.status : 0
  const way = `${one.server.kind} ${status}`
  seen.set(way, (seen.get(way) ?? 0) + 1)
  if (wrong === undefined) return undefined
  return [
    `${wrong}, from the ${one.server.kind} server${one.raw ? ' over a socket' : ''}`,
    `FUZZ_SEED=${seed} FUZZ_FROM=${index} FUZZ_REQUESTS=1`,
    bytesOf(one.request).toString('latin1').slice(0, 4000),
  ].join('\n')
}

test(`B138 ${count} generated requests, seed ${seed}`, { timeout: 600_000 }, async () => {
  console.log(`FUZZ_SEED=${seed}`)
  const failures: string[] = []
  let next = from
  const work = async () => {
    while (next < from + count && failures.length < mostFailures) {
      const wrong = await judge(next++)
      if (wrong !== undefined) failures.push(wrong)
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  expect(failures.join('\n\n')).toBe('')
  console.log(Object.fromEntries([...seen].sort()))
  const ways = [
    'open 200',
    'open 202',
    'open 400',
    'open 404',
    'guarded 200',
    'guarded 401',
    'guarded 403',
    'undecided 503',
  ]
  if (count >= 2000) expect([...seen.keys()]).toEqual(expect.arrayContaining(ways))
  expect(servers.violations).toEqual([])
  expect(unhandled).toEqual([])
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test('B138 every server still answers', async () => {
  for (const { kind, port, credentials } of servers.all) {
    const [answer] = await exchange(port, bytesOf(modernPost('tools/list'), credentials.slice(0, 1)))
    expect(answer?.status, kind).toBe(kind === 'undecided' ? 503 : 200)
  }
})

test('B142 B143 closing leaves nothing open', async () => {
  await servers.close()
  for (let turn = 0; turn < 100 && handles().join() !== before.join(); turn++) await sleep(20)
  expect(handles()).toEqual(before)
})
