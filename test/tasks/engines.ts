import { bullmqTaskRunner, memoryTaskRunner, type TaskRunner, type TaskRunnerOptions } from 'castellan/tasks'
import { createClient } from 'redis'
import { silent } from '../server/harness.js'
import { redisIsInstalled, startRedis } from '../store/redis.js'

/** Runners over one place where tasks are kept. */
export interface Engine extends AsyncDisposable {
  runner(options?: TaskRunnerOptions): TaskRunner
}

async function memoryEngine(): Promise<Engine> {
  const runners: TaskRunner[] = []
  return {
    runner(options) {
      const runner = memoryTaskRunner({ pollIntervalMs: 10, ...options })
      runners.push(runner)
      return runner
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(runners.map((runner) => runner.close()))
    },
  }
}

async function redisEngine(): Promise<Engine> {
  const redis = await startRedis()
  const client = await createClient({ url: redis.url })
    .on('error', () => undefined)
    .connect()
  const runners: TaskRunner[] = []
  return {
    runner(options) {
      const runner = bullmqTaskRunner({ connection: client, log: silent, pollIntervalMs: 10, ...options })
      runners.push(runner)
      return runner
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(runners.map((runner) => runner.close()))
      client.destroy()
      await redis.close()
    },
  }
}

/** Every kind of engine that can run here, for `describe.each` and `test.each`. */
export const engines: readonly [string, () => Promise<Engine>][] = [
  ['in memory', memoryEngine],
  ...(redisIsInstalled ? [['on Redis', redisEngine] as [string, () => Promise<Engine>]] : []),
]
