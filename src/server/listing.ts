import { WireError } from '../errors.js'
import type { Principal } from '../oauth/principal.js'
import { satisfies, type ScopeAlternatives } from '../oauth/scope.js'
import type { CacheHint, ResultBody, Revision } from '../protocol/revision.js'
import type { Call } from './call.js'
import { PreparedResult } from './method.js'

/** One listed thing: its key, its JSON for a revision, and who may use it. */
export interface ListEntry {
  readonly key: string
  readonly scopes: ScopeAlternatives | undefined
  json(revision: Revision): string
}

export interface ListingOptions {
  /** The member that holds the list, such as `tools`. */
  readonly member: string
  readonly entries: readonly ListEntry[]
  readonly pageSize: number
  readonly cache: CacheHint
  readonly serverInfo: string
  /** Whether a caller sees only what its scopes allow. */
  readonly hideUnauthorized: boolean
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

  /** The page after the cursor, or the first one. Throws `ERR_TARGET` for a cursor that is not ours. */
  page({ envelope, revision, principal }: Call): PreparedResult | ResultBody {
    const { cursor } = envelope.params
    const start = cursor === undefined ? 0 : this.#after(cursor, principal)
    return this.#options.hideUnauthorized
      ? this.#visible(start, revision, principal)
      : this.#whole(start, revision)
  }

  #whole(start: number, revision: Revision): PreparedResult {
    const { entries, pageSize, cache, serverInfo } = this.#options
    const key = `${revision.version} ${start}`
    const prepared = this.#prepared.get(key)
    if (prepared !== undefined) return prepared
    const members = this.#members(entries.slice(start, start + pageSize + 1), revision)
    const page = new PreparedResult(revision.encode({ members, cache }, serverInfo))
    if (start % pageSize === 0) this.#prepared.set(key, page)
    return page
  }

  /** What one caller may see is never shared with another. */
  #visible(start: number, revision: Revision, principal: Principal | undefined): ResultBody {
    const { entries, pageSize, cache } = this.#options
    const page: ListEntry[] = []
    for (let at = start; at < entries.length && page.length <= pageSize; at++) {
      const entry = entries[at]
      if (entry !== undefined && visible(entry, principal)) page.push(entry)
    }
    return { members: this.#members(page, revision), cache: { ...cache, scope: 'private' } }
  }

  /** Writes a page from its entries and, if there is one, the first entry of the next page. */
  #members(found: readonly ListEntry[], revision: Revision): string {
    const { member, pageSize } = this.#options
    const page = found.slice(0, pageSize)
    const last = found.length > pageSize ? page.at(-1) : undefined
    const list = `"${member}":[${page.map((entry) => entry.json(revision)).join(',')}]`
    return last === undefined
      ? list
      : `${list},"nextCursor":${JSON.stringify(encode(`${member}\n${last.key}`))}`
  }

  /** A cursor made up of the name of a hidden thing is one of a thing that does not exist. */
  #after(cursor: unknown, principal: Principal | undefined): number {
    const { member, entries, hideUnauthorized } = this.#options
    const prefix = `${member}\n`
    const key = typeof cursor === 'string' ? decode(cursor) : undefined
    const position =
      key?.startsWith(prefix) === true ? this.#positions.get(key.slice(prefix.length)) : undefined
    const entry = position === undefined ? undefined : entries[position]
    if (position === undefined || entry === undefined || (hideUnauthorized && !visible(entry, principal)))
      throw new WireError('ERR_TARGET', 'The cursor is not valid')
    return position + 1
  }
}

/** Whether a caller holds the scopes of an entry; what declares none is there for all. */
export function visible({ scopes }: Pick<ListEntry, 'scopes'>, principal: Principal | undefined): boolean {
  return scopes === undefined || (principal !== undefined && satisfies(principal.scopes, scopes))
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function decode(cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  return encode(text) === cursor ? text : undefined
}
