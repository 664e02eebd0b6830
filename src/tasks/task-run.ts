import { setTimeout as pause } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import type { Logger, Progress } from '../contract/context.js'
import type { TaskRecord } from './task-record.js'
import type { WorkScene } from './task-runner.js'
import type { TaskOperation, TaskState } from './task-state.js'

/** One run of a task's work: what it tells is kept while no other run has begun. */
export class TaskRun {
  readonly id = randomUUID()
  readonly task: TaskRecord
  readonly log: Logger
  readonly #scene: WorkScene
  readonly #controller = new AbortController()
  readonly #wakeups = new Set<() => void>()
  #state: TaskState
  #unwatch: () => void = () => undefined
  #message: string | undefined
  #telling: Promise<void> | undefined

  constructor(task: TaskRecord, scene: WorkScene) {
    this.task = task
    this.log = scene.log
    this.#scene = scene
    this.#state = task.state
  }

  /** Aborts when the work is of no use any more, or the process stops. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** How the task stands, as far as is known here. */
  get state(): TaskState {
    return this.#state
  }

  /** Whether the task is still open and this run the one that works on it. */
  get isWanted(): boolean {
    return this.#state.phase === 'open' && this.#state.run === this.id && !this.isStopped
  }

  /** Whether this process stops working. */
  get isStopped(): boolean {
    return this.#scene.stopping.aborted
  }

  /** Takes the work over from whoever had it; gives how often it was begun, undefined when there is nothing to do. */
  async begin(): Promise<number | undefined> {
    if (this.isStopped) return undefined
    await this.save({ do: 'begin', run: this.id })
    if (!this.isWanted || this.#state.phase !== 'open') return undefined
    const { stopping, records } = this.#scene
    const end = this.task.createdAt + this.task.ttlMs - Date.now()
    const timer = setTimeout(() => this.#abort('The time of the task is over'), Math.max(end, 0)).unref()
    const stop = () => this.#abort('The process stops')
    stopping.addEventListener('abort', stop, { once: true })
    const unwatch = records.watch(this.task.id, (record) => this.#observe(record))
    this.#unwatch = () => {
      clearTimeout(timer)
      stopping.removeEventListener('abort', stop)
      unwatch()
    }
    return this.#state.runs
  }

  /** Nothing is watched any more. */
  end(): void {
    this.#unwatch()
  }

  /** Saves what happened, again and again while the store is out of reach and the task has time. */
  async save(operation: TaskOperation): Promise<void> {
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 2000)) {
      try {
        this.#observe(await this.#scene.records.update(this.task.id, operation))
        return
      } catch (error) {
        this.log.warn({ err: error, taskId: this.task.id }, 'A task could not be saved yet')
      }
      if (this.isStopped || Date.now() > this.task.createdAt + this.task.ttlMs) return
      await pause(waitMs, undefined, { ref: false })
    }
  }

  /** The last of the messages told while one is being saved is the one that is saved next. */
  readonly progress = ({ progress, total, message }: Progress): Promise<void> => {
    if (!Number.isFinite(progress) || (total !== undefined && !Number.isFinite(total)))
      throw new RangeError('progress and total must be finite numbers')
    if (message !== undefined && typeof (message as unknown) !== 'string')
      throw new TypeError('message must be a string')
    const parts = total === undefined ? String(progress) : `${progress} of ${total}`
    this.#message = message ?? parts
    return (this.#telling ??= this.#tell())
  }

  async #tell(): Promise<void> {
    while (this.#message !== undefined && this.isWanted) {
      const message = this.#message.slice(0, 1024)
      this.#message = undefined
      await this.save({ do: 'tell', run: this.id, message })
    }
    this.#telling = undefined
  }

  /** Resolves when the task may stand otherwise, or the work is of no use any more. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#wakeups.add(resolve))
  }

  #observe(record: TaskRecord | undefined): void {
    this.#state = record === undefined ? { phase: 'cancelled' } : record.state
    if (this.#state.phase !== 'open') this.#abort('The task has ended')
    else if (this.#state.run !== this.id) this.#abort('Another worker has the task')
    this.#wake()
  }

  #abort(reason: string): void {
    this.#controller.abort(new DOMException(reason, 'AbortError'))
    this.#wake()
  }

  #wake(): void {
    const waiting = [...this.#wakeups]
    this.#wakeups.clear()
    for (const wake of waiting) wake()
  }
}
