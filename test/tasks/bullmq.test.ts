import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { listen, type RunningServer } from '../fastify/server.js'
import { redisIsInstalled, startRedis, type RedisServer } from '../store/redis.js'
import { create, ended, send, until } from './wire.js'
import { scene, type Connecting } from './worker.js'

const ways: Connecting[] = ['a client of redis', 'an address']

describe.skipIf(!redisIsInstalled).each(ways)('tasks on Redis by %s', { timeout: 40_000 }, (connecting) => {
  let redis: RedisServer
  let directory: string
  let book: string
  let web: RunningServer
  let own: Awaited<ReturnType<typeof scene>>
  const workers: ChildProcess[] = []

  async function openWeb(): Promise<void> {
    own = await scene({ connecting, port: redis.port, book, work: false })
    web = await listen({ tools: own.tools })
  }

  async function closeWeb(): Promise<void> {
    await web.app.close()
    await own.close()
  }

  function startWorker(): ChildProcess {
    const file = join(import.meta.dirname, 'worker.ts')
    const loader = ['--import', 'tsx', '--conditions=castellan:source']
    const words = [...loader, file, connecting, String(redis.port), book]
    const worker = spawn(process.execPath, words, { stdio: ['pipe', 'inherit', 'inherit'] })
    workers.push(worker)
    return worker
  }

  /** Waits for lines that handlers left. */
  async function entries(line: RegExp, count = 1): Promise<string[]> {
    for (;;) {
      const found = (await readFile(book, 'utf8').catch(() => '')).split('\n').filter((one) => line.test(one))
      if (found.length >= count) return found
      await pause(20)
    }
  }

  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())

  afterEach(async () => {
    const exits = workers.splice(0).map(async (worker) => {
      if (worker.exitCode !== null || worker.signalCode !== null) return
      worker.kill('SIGKILL')
      await once(worker, 'exit')
    })
    await Promise.all([...exits, closeWeb()])
    await rm(directory, { recursive: true })
  })

  async function begin(): Promise<void> {
    directory = await mkdtemp(join(tmpdir(), 'castellan-tasks-'))
    book = join(directory, 'book')
    await openWeb()
  }

  test('TK-6, G-143: a task is kept before any worker is there, and done when one comes', async () => {
    await begin()
    const { taskId } = await create(web.url, 'patient', { ms: 1 })
    expect(await until(web.url, taskId, () => true)).toMatchObject({ status: 'working' })
    startWorker()
    expect(await until(web.url, taskId, ended)).toMatchObject({ status: 'completed' })
  })

  test('TK-14: cancelling aborts the handler in another process', async () => {
    await begin()
    const worker = startWorker()
    const { taskId } = await create(web.url, 'patient', { ms: 1_000_000 })
    await entries(/began/)
    await send(web.url, 'tasks/cancel', { taskId })
    expect(await entries(/aborted/)).toEqual([`aborted ${String(worker.pid)}`])
    expect(await until(web.url, taskId, ended)).toMatchObject({ status: 'cancelled' })
  })

  test('a worker killed in the middle: one tool starts again elsewhere, the other fails with a reason', async () => {
    await begin()
    const first = startWorker()
    const restarting = await create(web.url, 'again', { ms: 1500 })
    const failing = await create(web.url, 'patient', { ms: 1_000_000 })
    await entries(/began/, 2)
    first.kill('SIGKILL')
    await once(first, 'exit')
    const second = startWorker()
    const done = await until(web.url, restarting.taskId, ended)
    expect(done.result.content).toEqual([{ type: 'text', text: `Done by ${String(second.pid)}` }])
    expect(await until(web.url, failing.taskId, ended)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The worker was lost before the work was done' },
    })
  })

  test('a worker that is stopped gives its task to another at once', async () => {
    await begin()
    const first = startWorker()
    const { taskId } = await create(web.url, 'again', { ms: 800 })
    await entries(/began/)
    const second = startWorker()
    first.kill('SIGTERM')
    await once(first, 'exit')
    const done = await until(web.url, taskId, ended)
    expect(done.result.content).toEqual([{ type: 'text', text: `Done by ${String(second.pid)}` }])
  })

  test('the web process starts anew: tasks go on', async () => {
    await begin()
    startWorker()
    const { taskId } = await create(web.url, 'patient', { ms: 500 })
    await entries(/began/)
    await closeWeb()
    await openWeb()
    expect(await until(web.url, taskId, ended)).toMatchObject({ status: 'completed' })
  })

  test('Redis stopped and started again loses no acknowledged task; meanwhile requests fail at once', async () => {
    await begin()
    startWorker()
    const tasks = await Promise.all([1, 2, 3].map((n) => create(web.url, 'again', { ms: n * 300 })))
    await entries(/began/, 3)
    await redis.stop()
    const refused = await send(web.url, 'tools/call', { name: 'again', arguments: { ms: 1 } })
    expect(refused.json.error).toMatchObject({ code: -32603, message: 'Internal error' })
    await redis.start()
    for (const { taskId } of tasks) {
      let task: any
      do task = await until(web.url, taskId, ended)
      while (task.error?.code === -32603 && task.status === undefined)
      expect(task).toMatchObject({ status: 'completed' })
    }
  })

  test('100 tasks over two workers each come to one end', async () => {
    await begin()
    startWorker()
    startWorker()
    const tasks = await Promise.all(Array.from({ length: 100 }, () => create(web.url, 'patient', { ms: 5 })))
    const done = await Promise.all(tasks.map(({ taskId }) => until(web.url, taskId, ended)))
    expect(new Set(done.map(({ status }) => status))).toEqual(new Set(['completed']))
    expect(await entries(/began/, 100)).toHaveLength(100)
  })
})
