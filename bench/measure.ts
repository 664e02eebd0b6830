import { setTimeout as pause } from 'node:timers/promises'
import { compiled } from './compiled.js'
import type { Credentials } from './credentials.js'
import { askOnce, startContender } from './contender.js'
import type { CallsPlan } from './calls.js'
import type { LoadPlan } from './load.js'
import type { LoadResult } from './load-result.js'
import { firstLine, pinned } from './pinned.js'
import type { CallsRow, LoadRow, StartRow } from './row.js'
import { connections, echoedText, requestBytes } from './workload.js'

export interface Setting extends Pick<Credentials, 'tokens' | 'proof'> {
  readonly env: NodeJS.ProcessEnv
  readonly seconds: number
}

export interface StartResult {
  readonly milliseconds: number
  readonly megabytes: number
}

/** One round of one row: a fresh server, a probe, the load, and the probe again. */
export async function measureLoad(
  row: LoadRow,
  { tokens, proof, env, seconds }: Setting,
): Promise<LoadResult> {
  const requests = await requestsOf(row, { tokens, proof })
  const [request = Buffer.alloc(0)] = requests
  const server = await startContender(row.contender, env)
  try {
    await probe(row, server.port, request)
    const plan: LoadPlan = {
      ...{ port: server.port, pid: server.pid, connections, seconds },
      requests: requests.map((one) => one.toString('base64')),
    }
    const result = await loadFrom(1, 'load.js', plan)
    await probe(row, server.port, request)
    if (result.refused > 0) throw new Error(`${row.title} refused ${result.refused} requests`)
    return result
  } finally {
    await server.stop()
  }
}

/** One token for all connections, or one for each where the row names its kind. */
async function requestsOf(
  { method, token }: LoadRow,
  { tokens, proof }: Pick<Setting, 'tokens' | 'proof'>,
): Promise<readonly Buffer[]> {
  const chosen = token === undefined ? tokens.ES256.slice(0, 1) : tokens[token]
  return Promise.all(
    chosen.map(async (one) => requestBytes(method, one, token === 'DPoP' ? await proof(one) : undefined)),
  )
}

/** One round of one client: a fresh server of fixed answers, and calls whose every answer is looked at. */
export async function measureCalls(
  { contender, inFlight, title }: CallsRow,
  { seconds }: Setting,
): Promise<LoadResult> {
  const server = await startContender({ file: 'servers/fixed-answers.js', args: [] }, {}, 1)
  try {
    const plan: CallsPlan = { ...contender, port: server.port, pid: server.pid, inFlight, seconds }
    const result = await loadFrom(0, 'calls.js', plan)
    if (result.refused > 0) throw new Error(`${title} misread ${result.refused} answers`)
    return result
  } finally {
    await server.stop()
  }
}

async function loadFrom(core: 0 | 1, file: string, plan: LoadPlan | CallsPlan): Promise<LoadResult> {
  return JSON.parse(await firstLine(pinned(core, compiled(file), [JSON.stringify(plan)]))) as LoadResult
}

/** From the start of the process to the first answer, then the memory it rests with. */
export async function measureStart(row: StartRow, { tokens, env }: Setting): Promise<StartResult> {
  const begun = performance.now()
  const server = await startContender(row.contender, env)
  try {
    await askOnce(server.port, requestBytes('tools/call', tokens.ES256[0]))
    const milliseconds = performance.now() - begun
    await pause(500)
    return { milliseconds, megabytes: await server.residentMegabytes() }
  } finally {
    await server.stop()
  }
}

async function probe(row: LoadRow, port: number, request: Buffer): Promise<void> {
  const answer = (await askOnce(port, request)).toString()
  const expected =
    row.method === 'tools/call' ? `"structuredContent":{"text":"${echoedText}"}` : '"filler_999"'
  if (!answer.includes(expected)) throw new Error(`${row.title} answered ${answer.slice(0, 500)}`)
}
