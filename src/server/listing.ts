import { WireError } from '../errors.js'
import type { CacheHint, Revision } from '../protocol/revision.js'
import { PreparedResult } from './method.js'

/** One listed thing: its key, and its JSON for a revision. */
export interface ListEntry {
  readonly key: string
  json(revision: Revision): string
}

export interface ListingOptions {
  /** The member that holds the list, such as `tools`. */
  readonly member: string
  readonly entries: readonly ListEntry[]
  readonly pageSize: number
  readonly cache: CacheHint
  readonly serverInfo: string
}

/** A list in pages that are written once per revision; cursors name the last thing seen, so any instance resumes. */
export class Listing {
  readonly #options: ListingOptions
  readonly #positions: ReadonlyMap<string, number>
  readonly #prepared = new Map<string, PreparedResult>()

  constructor(options: ListingOptions) {
    this.#options = options
    this.#positions = new Map(options.entries.map(({ key }, index) => [key, index]))
  }

  /** The page after `cursor`, or the first one. Throws `ERR_TARGET` for a cursor that is not ours. */
  page(cursor: unknown, revision: Revision): PreparedResult {
    const start = cursor === undefined ? 0 : this.#after(cursor)
    const key = `${revision.version} ${start}`
    const prepared = this.#prepared.get(key)
    if (prepared !== undefined) return prepared
    const page = new PreparedResult(this.#write(start, revision))
    if (start % this.#options.pageSize === 0) this.#prepared.set(key, page)
    return page
  }

  #after(cursor: unknown): number {
    const prefix = `${this.#options.member}\n`
    const key = typeof cursor === 'string' ? decode(cursor) : undefined
    const position = key?.startsWith(prefix) === true ? this.#positions.get(key.slice(prefix.length)) : undefined
    if (position === undefined) throw new WireError('ERR_TARGET', 'The cursor is not valid')
    return position + 1
  }

  #write(start: number, revision: Revision): string {
    const { member, entries, pageSize, cache, serverInfo } = this.#options
    const page = entries.slice(start, start + pageSize)
    const last = start + pageSize < entries.length ? page.at(-1) : undefined
    const list = `"${member}":[${page.map((entry) => entry.json(revision)).join(',')}]`
    const next = last === undefined ? '' : `,"nextCursor":${JSON.stringify(encode(`${member}\n${last.key}`))}`
    return revision.encode({ members: list + next, cache }, serverInfo)
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function decode(cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  return encode(text) === cursor ? text : undefined
}
