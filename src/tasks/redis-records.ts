import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ownerName, readTaskRecord, type TaskRecord } from './task-record.js'
import { updated, type TaskRecords } from './task-records.js'

/** What is used of BullMQ's face of a Redis client. */
export interface RedisCommands {
  defineCommand(name: string, script: { numberOfKeys: number; lua: string }): void
  runCommand(name: string, words: unknown[]): Promise<unknown>
  hmget(key: string, ...fields: string[]): Promise<(string | null)[]>
  hget(key: string, field: string): Promise<string | null>
}

/**
 * A record is a hash: its version, which grows with every change, and its text. What an owner has unfinished is a sorted
 * set of ids by the time they are over. Both end by themselves.
 */
const create = `local now = redis.call('TIME')[1] * 1000
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[4]) then return 2 end
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'version', '1', 'record', ARGV[1])
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
redis.call('PEXPIREAT', KEYS[2], string.format('%.0f', last[2]))
return 1`
const replace = `local version = redis.call('HGET', KEYS[1], 'version')
if version ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', version + 1, 'record', ARGV[2])
if ARGV[3] ~= '' then redis.call('ZREM', KEYS[2], ARGV[3]) end
return 1`

const names = { create: 'castellanCreateTask', replace: 'castellanReplaceTask' }

/** Tasks in Redis. Every look that a watch takes is a read, so that an outage of Redis leaves nobody deaf. */
export class RedisRecords implements TaskRecords {
  readonly #client: RedisCommands
  readonly #prefix: string
  readonly #watchMs: number
  readonly #watched = new Map<string, Watched>()
  #timer: NodeJS.Timeout | undefined

  constructor(client: RedisCommands, prefix: string, watchMs: number) {
    this.#client = client
    this.#prefix = prefix
    this.#watchMs = watchMs
    client.defineCommand(names.create, { numberOfKeys: 2, lua: create })
    client.defineCommand(names.replace, { numberOfKeys: 2, lua: replace })
  }

  async create(record: TaskRecord, limitPerOwner: number): Promise<boolean> {
    const end = record.createdAt + record.ttlMs
    const words = [JSON.stringify(record), String(end), record.id, String(limitPerOwner)]
    const created = Number(await this.#client.runCommand(names.create, [...this.#keys(record), ...words]))
    if (created === 0) throw new Error('The id of the task is taken')
    return created === 1
  }

  async read(id: string): Promise<TaskRecord | undefined> {
    return (await this.#load(id))?.record
  }

  async update(...[id, operation]: Parameters<TaskRecords['update']>): Promise<TaskRecord | undefined> {
    for (let tries = 0; ; tries++) {
      const loaded = await this.#load(id)
      if (loaded === undefined) return undefined
      const record = updated(loaded.record, operation)
      if (record === loaded.record) return record
      const finished = record.state.phase === 'open' ? '' : id
      const words = [...this.#keys(record), loaded.version, JSON.stringify(record), finished]
      if (Number(await this.#client.runCommand(names.replace, words)) === 1) return record
      await pause(Math.random() * Math.min(2 ** tries, 100))
    }
  }

  watch(...[id, changed]: Parameters<TaskRecords['watch']>): () => void {
    const watched = this.#watched.get(id) ?? { version: undefined, watchers: new Set() }
    this.#watched.set(id, watched)
    watched.watchers.add(changed)
    this.#timer ??= setTimeout(() => void this.#look(), this.#watchMs).unref()
    return () => {
      watched.watchers.delete(changed)
      if (watched.watchers.size === 0) this.#watched.delete(id)
    }
  }

  /** Stops looking. */
  close(): void {
    clearTimeout(this.#timer)
    this.#watched.clear()
  }

  async #load(id: string): Promise<{ version: string; record: TaskRecord } | undefined> {
    const [version, text] = await this.#client.hmget(this.#key(id), 'version', 'record')
    if (typeof version !== 'string' || typeof text !== 'string') return undefined
    return { version, record: readTaskRecord(text) }
  }

  async #look(): Promise<void> {
    await Promise.allSettled([...this.#watched].map(([id, watched]) => this.#lookAt(id, watched)))
    this.#timer =
      this.#watched.size === 0 ? undefined : setTimeout(() => void this.#look(), this.#watchMs).unref()
  }

  async #lookAt(id: string, watched: Watched): Promise<void> {
    const version = await this.#client.hget(this.#key(id), 'version')
    if (version === watched.version) return
    const loaded = version === null ? undefined : await this.#load(id)
    watched.version = loaded?.version ?? null
    for (const tell of [...watched.watchers]) tell(loaded?.record)
  }

  /** Of a record, and of what its owner has unfinished. */
  #keys({ id, principal }: TaskRecord): string[] {
    const owner = createHash('sha256').update(ownerName(principal)).digest('base64url')
    return [this.#key(id), `${this.#prefix}:unfinished:${owner}`]
  }

  #key(id: string): string {
    return `${this.#prefix}:task:${id}`
  }
}

interface Watched {
  /** As last told; null for a task that is gone. */
  version: string | null | undefined
  readonly watchers: Set<(record: TaskRecord | undefined) => void>
}
