import { setMaxListeners } from 'node:events'
import { DefinitionError } from '../errors.js'
import { MemoryRecords } from './memory-records.js'
import { checkMs, noRoom, runnerOptions, telling } from './runner-options.js'
import type { TaskRunner, TaskRunnerOptions, TaskWork } from './task-runner.js'

export interface MemoryTaskRunnerOptions extends TaskRunnerOptions {
  /** Tasks kept at once, ended ones included; a call beyond them fails. 10,000 when left out. */
  readonly limit?: number
}

/** Milliseconds a handler that does not heed its signal is waited for. */
const patienceMs = 10_000

/**
 * Runs tasks in this process and keeps them in its memory: they end with it. For development, tests and servers that run
 * once and may lose work. Throws `ERR_OPTION`.
 */
export function memoryTaskRunner(options: MemoryTaskRunnerOptions = {}): TaskRunner {
  const { limit = 10_000 } = options
  checkMs('limit', limit)
  const { limitPerOwner, ...told } = runnerOptions(options)
  const memory = new MemoryRecords()
  const records = telling(memory, options.changes)
  const works = new Map<string, TaskWork>()
  const running = new Set<Promise<void>>()
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  return Object.freeze<TaskRunner>({
    ...told,
    records,
    bind(tool, work) {
      if (works.has(tool)) throw new DefinitionError(`tool ${tool} has its work done by this runner already`)
      works.set(tool, work)
    },
    async submit(task, log) {
      if (memory.size >= limit || stop.signal.aborted) throw noRoom()
      if (!(await records.create(task, limitPerOwner))) throw noRoom()
      const work = works.get(task.tool)
      const scene = { records, log: options.log ?? log, stopping: stop.signal }
      const run = Promise.resolve(work?.(task, scene)).finally(() => void running.delete(run))
      running.add(run)
    },
    async close() {
      stop.abort(new DOMException('The server is closing', 'AbortError'))
      await endOrPatience(running)
      memory.clear()
    },
  })
}

async function endOrPatience(running: Iterable<Promise<void>>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, patienceMs)))
  await Promise.race([Promise.allSettled(running), patience])
  clearTimeout(timer)
}
