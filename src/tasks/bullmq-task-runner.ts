import { once, setMaxListeners } from 'node:events'
import type { Job, Queue, RedisConnection, Worker } from 'bullmq'
import type { Logger } from '../contract/context.js'
import { DefinitionError } from '../errors.js'
import { RedisRecords } from './redis-records.js'
import { checkMs, runnerOptions, telling } from './runner-options.js'
import type { TaskRecords } from './task-records.js'
import type { TaskRunner, TaskRunnerOptions, TaskWork } from './task-runner.js'

/** How Redis is reached: an address, or other options of BullMQ's own connection. */
export interface RedisAddress {
  readonly url?: string
  readonly host?: string
  readonly port?: number
  readonly username?: string
  readonly password?: string
  readonly db?: number
  readonly tls?: object
}

export interface BullmqTaskRunnerOptions extends TaskRunnerOptions {
  readonly connection: RedisAddress
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
  if (typeof connection !== 'object')
    throw new DefinitionError('`connection` must be an object', 'ERR_OPTION')
  if (typeof prefix !== 'string' || prefix === '')
    throw new DefinitionError('`prefix` must be a text', 'ERR_OPTION')
  checkMs('concurrency', concurrency)
  checkMs('stalledAfterMs', stalledAfterMs)
  const redis = new BullmqRedis(connection, prefix, options)
  const bound = new Set<string>()
  return Object.freeze<TaskRunner>({
    ...runnerOptions(options),
    records: {
      read: async (id) => (await redis.front()).read(id),
      update: async (id, operation) => (await redis.front()).update(id, operation),
    },
    bind(tool, does) {
      if (bound.has(tool)) throw new DefinitionError(`tool ${tool} has its work done by this runner already`)
      bound.add(tool)
      if (!work) return
      redis.work(tool, does, { concurrency, stalledAfterMs }).catch((error: unknown) => {
        options.log.error({ err: error, tool }, 'No worker could be started')
      })
    },
    async submit(task) {
      await (await redis.front()).create(task)
      const queue = await redis.queue(task.tool)
      await queue.add('task', {}, { jobId: task.id, removeOnComplete: true, removeOnFail: true })
    },
    close: () => redis.close(),
  })
}

/** The connections of one runner, made when they are first needed. */
class BullmqRedis {
  readonly #address: RedisAddress
  readonly #prefix: string
  readonly #options: BullmqTaskRunnerOptions
  readonly #stop = new AbortController()
  readonly #queues = new Map<string, Promise<Queue>>()
  readonly #connections: RedisConnection[] = []
  readonly #workers: Worker[] = []
  readonly #records: RedisRecords[] = []
  #front: Promise<{ records: TaskRecords; connection: RedisConnection }> | undefined
  #back: Promise<TaskRecords> | undefined

  constructor(address: RedisAddress, prefix: string, options: BullmqTaskRunnerOptions) {
    this.#address = address
    this.#prefix = prefix
    this.#options = options
    setMaxListeners(0, this.#stop.signal)
  }

  /** For requests, which do not wait for a Redis that is away. */
  async front(): Promise<TaskRecords> {
    return (await this.#requests()).records
  }

  queue(tool: string): Promise<Queue> {
    const made = this.#queues.get(tool) ?? this.#makeQueue(tool)
    this.#queues.set(tool, made)
    return made
  }

  async work(
    tool: string,
    work: TaskWork,
    { concurrency, stalledAfterMs }: { concurrency: number; stalledAfterMs: number },
  ): Promise<void> {
    const { Worker, WaitingError } = await import('bullmq')
    const records = await (this.#back ??= this.#connect(null).then(({ records }) => records))
    if (this.#stop.signal.aborted) return
    const scene = { records, log: this.#options.log, stopping: this.#stop.signal }
    const process = async (job: Job, token?: string): Promise<void> => {
      const task = job.id === undefined ? undefined : await records.read(job.id)
      if (task === undefined) return
      await work(task, scene)
      if (!this.#stop.signal.aborted || (await records.read(task.id))?.state.phase !== 'open') return
      await job.moveToWait(token)
      throw new WaitingError()
    }
    const worker = new Worker(queueName(tool), process, {
      connection: { ...this.#address, maxRetriesPerRequest: null },
      prefix: this.#prefix,
      concurrency,
      lockDuration: stalledAfterMs,
      stalledInterval: stalledAfterMs,
      maxStalledCount: 1_000_000,
    })
    worker.on('error', (error) => this.#options.log.warn({ err: error, tool }, 'A worker has no Redis now'))
    this.#workers.push(worker)
  }

  async close(): Promise<void> {
    this.#stop.abort(new DOMException('The server is closing', 'AbortError'))
    for (const records of this.#records) records.close()
    await Promise.allSettled(this.#workers.map(closeWorker))
    const closing = Array.from(this.#queues.values(), async (queue) => (await queue).close())
    await Promise.allSettled(closing)
    await Promise.allSettled([this.#front, this.#back])
    await Promise.allSettled(this.#connections.map((connection) => connection.close()))
  }

  async #makeQueue(tool: string): Promise<Queue> {
    const { Queue } = await import('bullmq')
    const { connection } = await this.#requests()
    const queue = new Queue(queueName(tool), { connection: await connection.client, prefix: this.#prefix })
    queue.on('error', () => undefined)
    return queue
  }

  async #requests() {
    return (this.#front ??= this.#connect(1).catch((error: unknown) => {
      this.#front = undefined
      throw error
    }))
  }

  async #connect(retries: 1 | null): Promise<{ records: TaskRecords; connection: RedisConnection }> {
    const { RedisConnection } = await import('bullmq')
    const waits = retries === null ? {} : { enableOfflineQueue: false }
    const address = { ...this.#address, maxRetriesPerRequest: retries, ...waits }
    const connection = new RedisConnection(address, { blocking: false })
    connection.on('error', () => undefined)
    this.#connections.push(connection)
    const records = new RedisRecords(await connection.client, this.#prefix, watchMs)
    this.#records.push(records)
    return { records: telling(records, this.#options.changes), connection }
  }
}

/** Handlers that do not heed their signal are left alone after a while; their lock runs out. */
async function closeWorker(worker: Worker): Promise<void> {
  const patience = AbortSignal.timeout(10_000)
  await Promise.race([worker.close(), once(patience, 'abort')])
  if (patience.aborted) await worker.close(true)
}

/** BullMQ takes no colon in a name. */
function queueName(tool: string): string {
  return `tasks-${tool}`
}
