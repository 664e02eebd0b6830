import { setMaxListeners } from 'node:events'
import { createRequire } from 'node:module'
import type { IRedisClient, Queue, Worker } from 'bullmq'
import type { Logger } from '../contract/context.js'
import { DefinitionError } from '../errors.js'
import { bullmqWorker, closeWorker, queueName, type BullmqWorkerOptions } from './bullmq-worker.js'
import { RedisConnections } from './redis-connections.js'
import { checkConnection, type RedisAddress, type RedisOrigin } from './redis-origin.js'
import { RedisRecords } from './redis-records.js'
import { checkMs, noRoom, runnerOptions, telling } from './runner-options.js'
import type { TaskRecords } from './task-records.js'
import type { TaskRunner, TaskRunnerOptions, TaskWork } from './task-runner.js'

export interface BullmqTaskRunnerOptions extends TaskRunnerOptions {
  /** A client of `redis` 5, of which duplicates are made and which is never closed here, or an address. */
  readonly connection: RedisOrigin | RedisAddress
  /** Where failures are told; workers have no request to log with. */
  readonly log: Logger
  /** What keys in Redis begin with; `{castellan}` when left out. */
  readonly prefix?: string
  /** Whether this process does the work of the tools bound here; true when left out. */
  readonly work?: boolean
  /** Tasks of one tool worked on at once in this process; 10 when left out. */
  readonly concurrency?: number
  /** Milliseconds without a sign of life after which the work of a task is taken from its worker; 30,000 when left out. */
  readonly stalledAfterMs?: number
}

/** Milliseconds between two looks of a worker at the tasks it works on. */
const watchMs = 250

/**
 * Runs tasks with BullMQ on Redis: durable before their id is known, worked on by any process that binds the tool.
 *
 * Redis needs `appendonly yes` and `maxmemory-policy noeviction`. The package `bullmq` must be installed. Throws
 * `ERR_OPTION`.
 */
export function bullmqTaskRunner(options: BullmqTaskRunnerOptions): TaskRunner {
  const {
    connection,
    prefix = '{castellan}',
    work = true,
    concurrency = 10,
    stalledAfterMs = 30_000,
  } = options
  checkConnection(connection)
  checkInstalled()
  if (typeof (options.log as Partial<Logger> | undefined)?.error !== 'function')
    throw new DefinitionError('`log` must be a logger', 'ERR_OPTION')
  if (typeof prefix !== 'string' || prefix === '')
    throw new DefinitionError('`prefix` must be a text', 'ERR_OPTION')
  checkMs('concurrency', concurrency)
  checkMs('stalledAfterMs', stalledAfterMs)
  const { limitPerOwner, ...told } = runnerOptions(options)
  const redis = new BullmqRedis(options, { prefix, concurrency, stalledAfterMs })
  const bound = new Set<string>()
  return Object.freeze<TaskRunner>({
    ...told,
    records: {
      read: async (id) => (await redis.records()).read(id),
      update: async (id, operation) => (await redis.records()).update(id, operation),
    },
    bind(tool, does) {
      if (bound.has(tool)) throw new DefinitionError(`tool ${tool} has its work done by this runner already`)
      bound.add(tool)
      if (!work) return
      redis.work(tool, does).catch((error: unknown) => {
        options.log.error({ err: error, tool }, 'No worker could be started')
      })
    },
    async submit(task) {
      if (redis.isClosing) throw noRoom()
      const records = await redis.records()
      if (!(await records.create(task, limitPerOwner))) throw noRoom()
      try {
        const queue = await redis.queue(task.tool)
        await queue.add('task', {}, { jobId: task.id, removeOnComplete: true, removeOnFail: true })
      } catch (error) {
        records.update(task.id, { do: 'cancel' }).catch(() => undefined)
        throw error
      }
    },
    close: () => redis.close(),
  })
}

function checkInstalled(): void {
  try {
    createRequire(import.meta.url).resolve('bullmq')
  } catch {
    throw new DefinitionError('`bullmqTaskRunner` needs the package `bullmq`', 'ERR_OPTION')
  }
}

/** What one runner has in Redis, opened when it is first needed. */
class BullmqRedis {
  readonly #options: BullmqTaskRunnerOptions
  readonly #working: BullmqWorkerOptions
  readonly #connections: RedisConnections
  readonly #stop = new AbortController()
  readonly #queues = new Map<string, Queue>()
  readonly #workers: Promise<Worker>[] = []
  readonly #opened: RedisRecords[] = []
  #records: TaskRecords | undefined
  #workRecords: TaskRecords | undefined

  constructor(options: BullmqTaskRunnerOptions, working: BullmqWorkerOptions) {
    this.#options = options
    this.#working = working
    this.#connections = new RedisConnections(options.connection)
    setMaxListeners(0, this.#stop.signal)
  }

  get isClosing(): boolean {
    return this.#stop.signal.aborted
  }

  /** What requests read and change. */
  async records(): Promise<TaskRecords> {
    const client = await this.#connections.forRequests()
    return (this.#records ??= this.#recordsOver(client))
  }

  async queue(tool: string): Promise<Queue> {
    const { Queue } = await import('bullmq')
    const connection = await this.#connections.forRequests()
    const made =
      this.#queues.get(tool) ?? new Queue(queueName(tool), { connection, prefix: this.#working.prefix })
    if (!this.#queues.has(tool)) made.on('error', () => undefined)
    this.#queues.set(tool, made)
    return made
  }

  async work(tool: string, work: TaskWork): Promise<void> {
    const client = await this.#connections.forWork()
    const records = (this.#workRecords ??= this.#recordsOver(client))
    if (this.#stop.signal.aborted) return
    const scene = { records, log: this.#options.log, stopping: this.#stop.signal }
    const worker = bullmqWorker(tool, work, scene, client, this.#working)
    this.#workers.push(worker)
    await worker
  }

  async close(): Promise<void> {
    this.#stop.abort(new DOMException('The server is closing', 'AbortError'))
    for (const records of this.#opened) records.close()
    await Promise.allSettled(this.#workers.map(async (worker) => closeWorker(await worker)))
    await Promise.allSettled(Array.from(this.#queues.values(), (queue) => queue.close()))
    await this.#connections.close()
  }

  #recordsOver(client: IRedisClient): TaskRecords {
    const records = new RedisRecords(client, this.#working.prefix, watchMs)
    this.#opened.push(records)
    return telling(records, this.#options.changes)
  }
}
