import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { defineTaskTool } from 'castellan'
import { bullmqTaskRunner, handleTask, type TaskRunner } from 'castellan/tasks'
import { createClient } from 'redis'
import { z } from 'zod'
import { silent } from '../server/harness.js'

/** How a runner is told where Redis is. */
export type Connecting = 'a client of redis' | 'an address'

export interface SceneOptions {
  readonly connecting: Connecting
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
export async function scene({ connecting, port, book, work }: SceneOptions) {
  const client =
    connecting === 'an address'
      ? undefined
      : await createClient({ url: `redis://127.0.0.1:${String(port)}` })
          .on('error', () => undefined)
          .connect()
  const runner: TaskRunner = bullmqTaskRunner({
    connection: client ?? { host: '127.0.0.1', port },
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
  return {
    tools,
    runner,
    client,
    close: async () => {
      await runner.close()
      client?.destroy()
    },
  }
}

if (import.meta.filename === process.argv[1]) {
  const [, , connecting, port, book = ''] = process.argv
  const { close } = await scene({
    connecting: connecting as Connecting,
    port: Number(port),
    book,
    work: true,
  })
  process.on('SIGTERM', () => void close().then(() => process.exit(0)))
  process.stdin.resume().on('end', () => process.exit(0))
}
