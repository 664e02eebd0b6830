import { once } from 'node:events'
import type { IRedisClient, Job, Worker } from 'bullmq'
import type { TaskWork, WorkScene } from './task-runner.js'

export interface BullmqWorkerOptions {
  readonly prefix: string
  readonly concurrency: number
  readonly stalledAfterMs: number
}

/** BullMQ takes no colon in a name. */
export function queueName(tool: string): string {
  return `tasks-${tool}`
}

/** Does the work of a tool's jobs in this process, until it is closed. */
export async function bullmqWorker(
  tool: string,
  work: TaskWork,
  scene: WorkScene,
  connection: IRedisClient,
  { prefix, concurrency, stalledAfterMs }: BullmqWorkerOptions,
): Promise<Worker> {
  const { Worker, WaitingError } = await import('bullmq')
  const { records, log, stopping } = scene
  const process = async (job: Job, token?: string): Promise<void> => {
    try {
      const task = job.id === undefined ? undefined : await records.read(job.id)
      if (task === undefined) return
      await work(task, scene)
      if (!stopping.aborted || (await records.read(task.id))?.state.phase !== 'open') return
      await job.moveToWait(token)
    } catch (error) {
      log.warn({ err: error, tool }, 'A task is left to the next worker, once this one counts as lost')
    }
    throw new WaitingError()
  }
  const worker = new Worker(queueName(tool), process, {
    connection,
    prefix,
    concurrency,
    lockDuration: stalledAfterMs,
    stalledInterval: stalledAfterMs,
    maxStalledCount: 1_000_000,
  })
  worker.on('error', (error) => log.warn({ err: error, tool }, 'A worker has no Redis now'))
  const waiting = worker.waitUntilReady()
  waiting.then(
    (blocking) => blocking.on('error', () => undefined),
    () => undefined,
  )
  return worker
}

/** Handlers that do not heed their signal are left alone after a while; their lock runs out. */
export async function closeWorker(worker: Worker): Promise<void> {
  const patience = AbortSignal.timeout(10_000)
  await Promise.race([closed(worker), once(patience, 'abort')])
  if (!patience.aborted) return
  worker.waitUntilReady().then(
    (blocking) => blocking.disconnect(),
    () => undefined,
  )
}

/** One that is still connecting is not closed yet: BullMQ would let the failure of that end the process. */
async function closed(worker: Worker): Promise<void> {
  await worker.waitUntilReady().catch(() => undefined)
  await worker.close()
}
