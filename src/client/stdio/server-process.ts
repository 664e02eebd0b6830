import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { InternalClientError } from '../errors.js'
import { offer } from './offer.js'
import { endWithThisProcess, groupLives, ownGroup, release, signalGroup } from './process-group.js'

/** How a server process is started. */
export interface ServerCommand {
  /** The program, found through `PATH`; never read by a shell. */
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the environment of this process; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** What the process writes to stderr, as it comes; without it, it goes to the stderr of this process. */
  readonly onStderr?: (chunk: string) => void
}

/** Milliseconds between two steps of an ending: end of input, SIGTERM, SIGKILL. */
const patience = 2_000
/** What SIGTERM gets of it when the host does not want to wait any longer. */
const shortPatience = 300
const pollInterval = 20

/** A running server: its pipes, how it started and how it ends. */
export class ServerProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly #child: ChildProcess
  readonly #started: Promise<void>
  readonly #closed: Promise<void>
  readonly #hurry = new AbortController()
  #hasClosed = false
  #stopped: Promise<void> | undefined

  /** Starts the program. Throws what `spawn` throws; a program that cannot be started shows in `started`. */
  constructor({ command, args = [], env, cwd, onStderr }: ServerCommand) {
    this.#child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', onStderr === undefined ? 'inherit' : 'pipe'],
      shell: false,
      windowsHide: true,
      detached: ownGroup,
    })
    this.#child.on('error', () => undefined)
    const { stdin, stdout, stderr } = this.#child
    // Neither is there when the process ran out of file descriptors.
    if (!stdin || !stdout) throw new Error('The pipes could not be opened')
    this.stdin = stdin
    this.stdout = stdout
    stdin.on('error', () => void this.stop())
    stderr?.setEncoding('utf8').on('data', (chunk: string) => offer(onStderr, chunk))
    stderr?.on('error', () => undefined)
    this.#closed = new Promise((resolve) => this.#child.once('close', () => resolve()))
    void this.#closed.then(() => (this.#hasClosed = true))
    this.#started = this.#child.pid === undefined ? failedStart(this.#child, command) : this.#run()
    this.#started.catch(() => undefined)
  }

  onExit(callback: () => void): void {
    this.#child.once('exit', callback)
  }

  /** Rejects with `InternalClientError` when the program could not be started. */
  started(): Promise<void> {
    return this.#started
  }

  /** Whether the process itself has ended; its pipes may still hold what it wrote. */
  get exited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** How the process ended, in words. */
  get ending(): string {
    const { exitCode, signalCode } = this.#child
    return signalCode ?? (exitCode === null ? 'no exit code' : `exit code ${exitCode}`)
  }

  /**
   * Ends the input and waits, then SIGTERM, then SIGKILL; the signal shortens the waiting. Resolves when the process
   * is reaped and its pipes are closed. Idempotent.
   */
  async stop(signal?: AbortSignal): Promise<void> {
    const hurry = () => this.#hurry.abort()
    if (signal?.aborted === true) hurry()
    signal?.addEventListener('abort', hurry)
    try {
      await (this.#stopped ??= this.#stop())
    } finally {
      signal?.removeEventListener('abort', hurry)
    }
  }

  async #run(): Promise<void> {
    endWithThisProcess(this.#child)
    this.#child.once('exit', () => void this.stop())
    await once(this.#child, 'spawn')
  }

  async #stop(): Promise<void> {
    if (this.#child.pid === undefined) return
    this.stdin.end()
    if (!(await this.#goneWithin(patience, 0))) {
      signalGroup(this.#child, 'SIGTERM')
      if (!(await this.#goneWithin(patience, shortPatience))) await this.#kill()
    }
    release(this.#child)
  }

  /** Someone outside the group may still hold the pipes, so they are closed on this side. */
  async #kill(): Promise<void> {
    signalGroup(this.#child, 'SIGKILL')
    await Promise.race([this.#closed, sleep(shortPatience)])
    this.stdin.destroy()
    this.stdout.destroy()
    this.#child.stderr?.destroy()
    await this.#closed
  }

  /** Whether process, pipes and group end in time. */
  async #goneWithin(milliseconds: number, hurried: number): Promise<boolean> {
    const started = performance.now()
    for (;;) {
      if (this.#hasClosed && !groupLives(this.#child)) return true
      const limit = this.#hurry.signal.aborted ? hurried : milliseconds
      if (performance.now() - started >= limit) return false
      await this.#pause()
    }
  }

  async #pause(): Promise<void> {
    const waited = new AbortController()
    const pause = sleep(pollInterval, undefined, { signal: waited.signal }).catch(() => undefined)
    await (this.#hasClosed ? pause : Promise.race([pause, this.#closed]))
    waited.abort()
  }
}

async function failedStart(child: ChildProcess, command: string): Promise<void> {
  const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException]
  const why = error.code ?? 'unknown reason'
  // Arguments may hold secrets.
  Reflect.deleteProperty(error, 'spawnargs')
  throw new InternalClientError(`The server process could not be started (${why}): ${command}`, {
    cause: error,
  })
}
