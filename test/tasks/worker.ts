import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { defineTaskTool } from 'castellan'
import { bullmqTaskRunner, handleTask, type TaskRunner } from 'castellan/tasks'
import { z } from 'zod'
import { silent } from '../server/harness.js'

export interface SceneOptions {
  readonly port: number
  /** A file in which every handler that begins or is aborted leaves a line. */
  readonly book: string
  readonly work: boolean
}

const input = z.object({ ms: z.int() })

export const patient = defineTaskTool({ name: 'patient', description: 'Waits', input, task: 'required' })
export const again = defineTaskTool({
  name: 'again',
  description: 'Waits, can be repeated',
  input,
  task: 'required',
})

/** The tools of every process of a test, and their runner. */
export function scene({ port, book, work }: SceneOptions) {
  const runner: TaskRunner = bullmqTaskRunner({
    connection: { host: '127.0.0.1', port },
    log: silent,
    pollIntervalMs: 20,
    stalledAfterMs: 1000,
    concurrency: 100,
    work,
  })
  const waits = async ({ ms }: { ms: number }, { signal }: { signal: AbortSignal }) => {
    appendFileSync(book, `began ${process.pid}\n`)
    signal.addEventListener('abort', () => appendFileSync(book, `aborted ${process.pid}\n`), { once: true })
    await pause(ms, undefined, { signal })
    return `Done by ${process.pid}`
  }
  const tools = [
    handleTask(patient, runner, waits),
    handleTask(again, runner, waits, { onStalled: 'restart' }),
  ]
  return { runner, tools }
}

if (import.meta.filename === process.argv[1]) {
  const [, , port, book = ''] = process.argv
  const { runner } = scene({ port: Number(port), book, work: true })
  process.on('SIGTERM', () => void runner.close().then(() => process.exit(0)))
  process.stdin.resume().on('end', () => process.exit(0))
}
