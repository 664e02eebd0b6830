import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startHolder, type Holder, type HolderSetup } from './holder-process.js'
import { postgresIsInstalled, startPostgres } from './postgres.js'
import { redisIsInstalled, startRedis } from './redis.js'

const holders: Holder[] = []
afterEach(async () => {
  await Promise.all(holders.splice(0).map((holder) => holder.kill()))
})

async function start(setup: HolderSetup): Promise<Holder> {
  const holder = await startHolder(setup)
  holders.push(holder)
  return holder
}

const servers = [
  ...(redisIsInstalled ? [{ kind: 'redis' as const, startServer: startRedis }] : []),
  ...(postgresIsInstalled ? [{ kind: 'postgres' as const, startServer: startPostgres }] : []),
]

describe.each(servers)('processes over $kind', ({ kind, startServer }) => {
  let server: Awaited<ReturnType<typeof startServer>>
  let setup: HolderSetup & { kind: 'redis' | 'postgres' }
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  beforeAll(() => {
    setup = { kind, url: server.url, key: randomBytes(32).toString('base64url') }
  })

  async function valueSeenBy(holder: Holder): Promise<string | undefined> {
    holder.tell({ do: 'hold' })
    const { value } = await holder.expect('holding')
    holder.tell({ do: 'go' })
    await holder.expect('done')
    return value
  }

  test('two processes with 50 uses each take strict turns (D13, F19)', async () => {
    const both = await Promise.all([start(setup), start(setup)])
    for (const holder of both) holder.tell({ do: 'increment', times: 50 })
    await Promise.all(both.map((holder) => holder.expect('done')))
    expect(await valueSeenBy(both[0])).toBe('100')
  })

  test('who is killed while holding a record keeps nobody out for longer than the lease (D3)', async () => {
    const [killed, next] = await Promise.all([start(setup), start(setup)])
    killed.tell({ do: 'hold' })
    await killed.expect('holding')
    killed.tell({ do: 'save', value: 'pending' })
    await killed.expect('saved')
    await killed.kill()
    expect(await valueSeenBy(next)).toBe('pending')
  })

  test('who is stopped past the lease is refused, and the winner stays (D4, F20, G60)', async () => {
    const [stopped, winner] = await Promise.all([start(setup), start(setup)])
    stopped.tell({ do: 'hold' })
    await stopped.expect('holding')
    stopped.signal('SIGSTOP')
    winner.tell({ do: 'hold' })
    await winner.expect('holding')
    winner.tell({ do: 'save', value: 'winner' })
    await winner.expect('saved')
    winner.tell({ do: 'go' })
    await winner.expect('done')
    stopped.tell({ do: 'save', value: 'loser' })
    stopped.signal('SIGCONT')
    expect(await stopped.expect('saved')).toMatchObject({ failure: 'ERR_STORE_CONFLICT' })
    expect(await valueSeenBy(winner)).toBe('winner')
  })

  test('what remains: stopped between check and write, it overwrites and is told that it may have (D4)', async () => {
    const [stopped, other] = await Promise.all([start({ ...setup, pauseBeforeWrite: true }), start(setup)])
    stopped.tell({ do: 'hold' })
    await stopped.expect('holding')
    stopped.tell({ do: 'save', value: 'late' })
    await stopped.expect('writing')
    stopped.signal('SIGSTOP')
    other.tell({ do: 'hold' })
    await other.expect('holding')
    other.tell({ do: 'save', value: 'other' })
    await other.expect('saved')
    other.tell({ do: 'go' })
    await other.expect('done')
    stopped.tell({ do: 'go' })
    stopped.signal('SIGCONT')
    expect(await stopped.expect('saved')).toMatchObject({ failure: 'ERR_STORE_UNCERTAIN', lost: true })
    expect(await valueSeenBy(other)).toBe('late')
  })
})

describe('processes over files', () => {
  let directory: string
  let setup: HolderSetup
  beforeAll(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'castellan-files-')), 'grants')
    setup = { kind: 'files', directory, key: randomBytes(32).toString('base64url') }
  })
  afterAll(() => rm(join(directory, '..'), { recursive: true, force: true }))

  test('a second process is refused while the first lives, and let in when it was killed', async () => {
    const [first, second] = await Promise.all([start(setup), start(setup)])
    first.tell({ do: 'increment', times: 2 })
    await first.expect('done')
    second.tell({ do: 'increment', times: 1 })
    expect(await second.expect('failed')).toMatchObject({ failure: 'ERR_STORE_UNAVAILABLE' })
    await first.kill()
    second.tell({ do: 'increment', times: 1 })
    await second.expect('done')
    second.tell({ do: 'hold' })
    expect(await second.expect('holding')).toMatchObject({ value: '3' })
  })

  test('of many processes that find a dead lock one gets in', async () => {
    const many = await Promise.all([start(setup), start(setup), start(setup), start(setup)])
    for (const holder of many) holder.tell({ do: 'hold' })
    const outcomes = await Promise.allSettled(many.map((holder) => holder.expect('holding')))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('files are for their owner only and nothing half written is left (failures B109)', async () => {
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    const names = await readdir(directory)
    for (const name of names) expect((await stat(join(directory, name))).mode & 0o777, name).toBe(0o600)
    expect(names.map((name) => name.replace(/^[0-9a-f]{64}/, '')).sort()).toEqual(['.sealed', 'lock'])
  })
})
