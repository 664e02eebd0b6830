import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Outcome, Place } from '../grants/application.js'
import type { BackendSetup } from '../grants/backend.js'
import type { Step } from '../grants/watched-store.js'

export interface WorkerSetup {
  readonly place: Place
  readonly backend: BackendSetup
  /** Where it stops for ever, to be killed. */
  readonly stopAt?: Step
  /** Where its store fails. */
  readonly failAt?: Step
}

export interface Command {
  readonly calls: number
}

export type Report =
  | { readonly event: 'ready' | 'begun' | 'stopped' }
  | { readonly event: 'called'; readonly outcomes: readonly Outcome[] }

export interface Worker {
  /** Makes calls, all at once; resolves when they have begun. */
  begin(calls: number): Promise<void>
  outcomes(): Promise<readonly Outcome[]>
  /** Resolves when it has stopped where it was to. */
  stopped(): Promise<void>
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>
}

export async function startWorker(setup: WorkerSetup): Promise<Worker> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify(setup)], {
    execArgv: ['--import', 'tsx', '--conditions=castellan:source'],
  })
  const reports: Report[] = []
  let arrived: (() => void) | undefined
  child.on('message', (message: Report) => {
    reports.push(message)
    arrived?.()
  })
  child.on('exit', () => arrived?.())

  /** Waits for one event; others are for who waits for them. */
  async function reported<E extends Report['event']>(event: E): Promise<Report & { readonly event: E }> {
    for (;;) {
      const index = reports.findIndex((each) => each.event === event)
      if (index !== -1) return reports.splice(index, 1)[0] as Report & { readonly event: E }
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`A process ended before ${event}`)
      await new Promise<void>((resolve) => (arrived = resolve))
    }
  }

  await reported('ready')
  return {
    async begin(calls) {
      child.send({ calls } satisfies Command)
      await reported('begun')
    },
    outcomes: async () => (await reported('called')).outcomes,
    async stopped() {
      await reported('stopped')
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
