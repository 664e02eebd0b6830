import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export interface ExternalServer {
  readonly url: string
  /** Makes the server tell its subscribers that its tools changed. */
  change(): void
  stop(): Promise<void>
}

/** Starts the server as a process of its own. */
export async function startServer(): Promise<ExternalServer> {
  const child: ChildProcess = fork(new URL('./server.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
  const [url] = (await once(child, 'message')) as [string]
  return {
    url,
    change: () => void child.send('change'),
    stop: async () => {
      const exit = once(child, 'exit')
      child.kill()
      await exit
    },
  }
}
