import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A file beside this one, running as a process that answers with one number each time. */
export class Worker implements AsyncDisposable {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Starts a file; resolves with the first number it says. */
  static async start(name: string): Promise<{ worker: Worker; first: number }> {
    const execArgv = ['--expose-gc', '--conditions=castellan:source', '--import', 'tsx']
    const worker = new Worker(fork(join(import.meta.dirname, `${name}.ts`), { execArgv }))
    return { worker, first: await worker.next() }
  }

  tell(message: object | string): void {
    this.#child.send(message)
  }

  /** The next number it says; rejects when it ends instead. */
  async next(): Promise<number> {
    const gone = new AbortController()
    try {
      const ended = once(this.#child, 'exit', { signal: gone.signal }).then(() => {
        throw new Error('A process of the proof has ended')
      })
      const said = once(this.#child, 'message', { signal: gone.signal })
      const [{ value }] = (await Promise.race([said, ended])) as [{ value: number }]
      return value
    } finally {
      gone.abort()
    }
  }

  async ask(message: object | string): Promise<number> {
    const next = this.next()
    this.tell(message)
    return next
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
