import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { listKinds, type ListMethod } from '../reading/list-page.js'
import { malformed } from '../reading/member.js'

export type FetchPage = (cursor: string | undefined) => Promise<JsonObject>

/**
 * Follows a list page by page. Cursors are opaque, and an empty one is one. Throws `MalformedResponseError` for a
 * cursor or an entry that comes twice and for more pages than `most` (MCP 2026-07-28, "Pagination", PAGE-1, PAGE-5).
 */
export async function* listPages(
  method: ListMethod,
  fetch: FetchPage,
  most: number,
): AsyncGenerator<JsonObject> {
  const { member, key } = listKinds[method]
  const cursors = new Set<string>()
  const keys = new Set<unknown>()
  let cursor: string | undefined
  for (let count = 0; count < most; count++) {
    const page = await fetch(cursor)
    for (const entry of page[member] as readonly unknown[]) {
      const name = isJsonObject(entry) ? entry[key] : undefined
      if (keys.has(name)) throw malformed(`${method}: ${JSON.stringify(name)} is listed twice`)
      keys.add(name)
    }
    yield page
    const next = page['nextCursor']
    if (typeof next !== 'string') return
    if (cursors.has(next)) throw malformed(`${method}: a cursor was given twice`)
    cursors.add(next)
    cursor = next
  }
  throw malformed(`${method}: the list has more than ${most} pages`)
}

/** The entries of a list, one by one; pages are fetched when they are needed. */
export async function* listEntries<Entry>(
  method: ListMethod,
  fetch: FetchPage,
  most: number,
): AsyncGenerator<Entry> {
  for await (const page of listPages(method, fetch, most)) {
    yield* page[listKinds[method].member] as readonly Entry[]
  }
}
