import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface InstanceSetup {
  readonly port: number
  readonly redis: string
  readonly resource: string
  readonly issuer: string
  /** What states are sealed with, in base64url. */
  readonly key: string
}

/** A server process at one port, which can be killed and started again. */
export class Instance {
  readonly #setup: InstanceSetup
  #child: ChildProcess | undefined

  constructor(setup: InstanceSetup) {
    this.#setup = setup
  }

  get port(): number {
    return this.#setup.port
  }

  /** Resolves when it serves. */
  async start(): Promise<void> {
    const execArgv = ['--import', 'tsx', '--conditions=castellan:source']
    const child = fork(join(import.meta.dirname, 'instance.ts'), [JSON.stringify(this.#setup)], { execArgv })
    this.#child = child
    const ready = new AbortController()
    const ended = once(child, 'exit', { signal: ready.signal }).then(() => {
      throw new Error('An instance ended before it served')
    })
    await Promise.race([once(child, 'message'), ended])
    ended.catch(() => undefined)
    ready.abort()
  }

  /** SIGKILL, and waits until it is gone. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}
