import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export type HolderSetup = { readonly key: string } & (
  | { readonly kind: 'redis' | 'postgres'; readonly url: string; readonly pauseBeforeWrite?: boolean }
  | { readonly kind: 'files'; readonly directory: string }
)

export type Command =
  | { readonly do: 'increment'; readonly times: number }
  | { readonly do: 'hold' }
  | { readonly do: 'save'; readonly value: string }
  | { readonly do: 'go' }

export interface Report {
  readonly event: 'ready' | 'holding' | 'writing' | 'saved' | 'done' | 'failed'
  readonly value?: string
  readonly failure?: string | undefined
  readonly lost?: boolean
}

export interface Holder {
  tell(command: Command): void
  /** The next report, which must be this event. */
  expect(event: Report['event']): Promise<Report>
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>
}

/** Another process over the same store. */
export async function startHolder(setup: HolderSetup): Promise<Holder> {
  const child = fork(join(import.meta.dirname, 'holder.ts'), [JSON.stringify(setup)], {
    execArgv: ['--import', 'tsx', '--conditions=castellan:source'],
  })
  const reports: Report[] = []
  let arrived: (() => void) | undefined
  child.on('message', (report: Report) => {
    reports.push(report)
    arrived?.()
  })
  child.on('exit', () => arrived?.())

  const holder: Holder = {
    tell: (command) => void child.send(command),
    async expect(event) {
      while (reports.length === 0) {
        if (child.exitCode !== null) throw new Error(`The process ended instead of ${event}`)
        await new Promise<void>((resolve) => (arrived = resolve))
      }
      const report = reports.shift()!
      if (report.event !== event) throw new Error(`It must be ${event}, and is ${JSON.stringify(report)}`)
      return report
    },
    signal: (signal) => void child.kill(signal),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
  await holder.expect('ready')
  return holder
}
