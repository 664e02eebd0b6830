import { randomUUID } from 'node:crypto'
import { createNodeRedisClient } from 'bullmq'
import fc from 'fast-check'
import { createClient } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MemoryRecords } from '../../src/tasks/memory-records.js'
import { RedisRecords } from '../../src/tasks/redis-records.js'
import type { TaskRecord } from '../../src/tasks/task-record.js'
import type { TaskRecords } from '../../src/tasks/task-records.js'
import { after, newState } from '../../src/tasks/task-state.js'
import { redisIsInstalled, startRedis } from '../store/redis.js'
import { operation } from './operations.js'

function record(): TaskRecord {
  const now = Date.now()
  return {
    ...{ version: 1, id: randomUUID(), tool: 'tool', route: {}, givenRoute: {}, arguments: {} },
    ...{ capabilities: {}, protocol: '2026-07-28', createdAt: now, updatedAt: now, ttlMs: 600_000 },
    state: newState,
  }
}

async function memory(): Promise<readonly TaskRecords[]> {
  const records = new MemoryRecords()
  onTestFinished(() => records.clear())
  return [records, records]
}

/** As two instances see them. */
async function redis(): Promise<readonly TaskRecords[]> {
  const server = await startRedis()
  const open = () =>
    createClient({ url: server.url })
      .on('error', () => undefined)
      .connect()
  const clients = await Promise.all([open(), open()])
  onTestFinished(async () => {
    for (const client of clients) client.destroy()
    await server.close()
  })
  return clients.map((client) => new RedisRecords(createNodeRedisClient(client), 'test', 50))
}

const places: [string, () => Promise<readonly TaskRecords[]>][] = [
  ['in memory', memory],
  ...(redisIsInstalled ? [['on Redis', redis] as [string, typeof redis]] : []),
]

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe.each(places)('records %s', (_name, open) => {
  test('TK-7, TK-11: stand after any operations of two instances as the state machine says', async () => {
    const instances = await open()
    const steps = fc.array(fc.tuple(fc.nat({ max: 1 }), operation), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const task = record()
        expect(await instances[0]!.create(task, 1e9)).toBe(true)
        let state = newState
        for (const [instance, one] of sequence) {
          state = after(state, one)
          const told = await instances[instance]!.update(task.id, one)
          expect(plain(told?.state)).toEqual(plain(state))
        }
        for (const instance of instances)
          expect(plain((await instance.read(task.id))?.state)).toEqual(plain(state))
      }),
      { numRuns: 50 },
    )
  })

  test('lose no operation of many at once', async () => {
    const instances = await open()
    const task = record()
    await instances[0]!.create(task, 1e9)
    const runs = Array.from({ length: 50 }, (_, index) => `run-${String(index)}`)
    const begun = runs.map((run, index) => instances[index % 2]!.update(task.id, { do: 'begin', run }))
    await Promise.all(begun)
    expect((await instances[1]!.read(task.id))?.state).toMatchObject({ runs: 50 })
  })

  test('TK-7: of many ends at once one stands', async () => {
    const instances = await open()
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(['complete', 'fail', 'cancel'] as const), async (ends) => {
        const task = record()
        await instances[0]!.create(task, 1e9)
        await instances[0]!.update(task.id, { do: 'begin', run: 'a' })
        const all = { run: 'a', result: {}, error: { code: 1, message: '' } }
        const told = await Promise.all(
          ends.map((end, index) => instances[index % 2]!.update(task.id, { ...all, do: end })),
        )
        const { state } = (await instances[0]!.read(task.id))!
        for (const one of told) expect(plain(one?.state)).toEqual(plain(state))
        expect(state.phase === 'open').toBe(ends.length === 0)
      }),
      { numRuns: 50 },
    )
  })
})
