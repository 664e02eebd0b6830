import { ownerName, type TaskRecord } from './task-record.js'
import { updated, type TaskRecords } from './task-records.js'

interface Kept {
  record: TaskRecord
  readonly timer: NodeJS.Timeout
  readonly watchers: Set<(record: TaskRecord | undefined) => void>
}

/** Tasks in the memory of this process. */
export class MemoryRecords implements TaskRecords {
  readonly #kept = new Map<string, Kept>()
  /** How many there are of each owner. */
  readonly #unfinished = new Map<string, number>()

  get size(): number {
    return this.#kept.size
  }

  create(record: TaskRecord, limitPerOwner: number): Promise<boolean> {
    const owner = ownerName(record.principal)
    const unfinished = this.#unfinished.get(owner) ?? 0
    if (unfinished >= limitPerOwner) return Promise.resolve(false)
    this.#unfinished.set(owner, unfinished + 1)
    const timer = setTimeout(() => this.#forget(record.id), record.ttlMs).unref()
    this.#kept.set(record.id, { record, timer, watchers: new Set() })
    return Promise.resolve(true)
  }

  read(id: string): Promise<TaskRecord | undefined> {
    return Promise.resolve(this.#kept.get(id)?.record)
  }

  update(...[id, operation]: Parameters<TaskRecords['update']>): Promise<TaskRecord | undefined> {
    const kept = this.#kept.get(id)
    if (kept === undefined) return Promise.resolve(undefined)
    const record = updated(kept.record, operation)
    if (record !== kept.record) {
      kept.record = record
      if (record.state.phase !== 'open') this.#finish(record)
      for (const tell of [...kept.watchers]) tell(record)
    }
    return Promise.resolve(record)
  }

  watch(...[id, changed]: Parameters<TaskRecords['watch']>): () => void {
    const watchers = this.#kept.get(id)?.watchers
    if (watchers === undefined) queueMicrotask(() => changed(undefined))
    watchers?.add(changed)
    return () => void watchers?.delete(changed)
  }

  #finish({ principal }: TaskRecord): void {
    const owner = ownerName(principal)
    const left = (this.#unfinished.get(owner) ?? 1) - 1
    if (left === 0) this.#unfinished.delete(owner)
    else this.#unfinished.set(owner, left)
  }

  #forget(id: string): void {
    const kept = this.#kept.get(id)
    this.#kept.delete(id)
    if (kept?.record.state.phase === 'open') this.#finish(kept.record)
    for (const tell of kept?.watchers ?? []) tell(undefined)
  }

  clear(): void {
    for (const [id, { timer }] of [...this.#kept]) {
      clearTimeout(timer)
      this.#forget(id)
    }
  }
}
