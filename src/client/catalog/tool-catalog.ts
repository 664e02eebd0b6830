import type { JsonObject } from '../../protocol/json.js'
import type { CallerWarning } from '../caller-options.js'
import type { ListedTool } from '../listed.js'
import { listPages } from './list-pages.js'
import { SharedLoad } from './shared-load.js'

/** Fetches one page of `tools/list`; `warn` is told what was left out of it. */
export type FetchTools = (
  cursor: string | undefined,
  signal: AbortSignal,
  warn: (warning: CallerWarning) => void,
) => Promise<JsonObject>

/** What a server listed at one time. */
interface Snapshot {
  readonly tools: ReadonlyMap<string, ListedTool>
  /** Why a tool was left out, by its name. */
  readonly leftOut: ReadonlyMap<string, string>
  readonly freshUntil: number
}

/** What is known of one name. */
export type Found = { readonly tool: ListedTool } | { readonly leftOut: string } | undefined

/**
 * The tools of a server as one caller sees them. Kept for this caller alone, so that nothing private reaches another
 * identity, and for as long as the server allows (MCP 2026-07-28, "Caching", CA-5 to CA-9).
 */
export class ToolCatalog {
  readonly #fetch: FetchTools
  readonly #mostPages: number
  readonly #now: () => number
  #latest: Snapshot | undefined
  #loading: SharedLoad<Snapshot> | undefined
  #changes = 0

  constructor(fetch: FetchTools, mostPages: number, now: () => number = () => performance.now()) {
    this.#fetch = fetch
    this.#mostPages = mostPages
    this.#now = now
  }

  /** A tool as it was last listed, fresh or not. */
  latest(name: string): ListedTool | undefined {
    return this.#latest?.tools.get(name)
  }

  /** Looks a tool up; reads the list when what is known is no longer fresh. */
  async find(name: string, signal: AbortSignal | undefined): Promise<Found> {
    const known = this.#latest
    const snapshot = known !== undefined && this.#now() < known.freshUntil ? known : await this.#load(signal)
    return found(snapshot, name)
  }

  /** Looks a tool up in a list read now, whatever is known. */
  async reread(name: string, signal: AbortSignal | undefined): Promise<Found> {
    this.changed()
    return found(await this.#load(signal), name)
  }

  /** What was read before now, or is being read, is no longer fresh. */
  changed(): void {
    this.#changes++
    this.#loading = undefined
    if (this.#latest !== undefined) this.#latest = { ...this.#latest, freshUntil: -Infinity }
  }

  #load(signal: AbortSignal | undefined): Promise<Snapshot> {
    if (this.#loading === undefined || this.#loading.isStopped) {
      const load = new SharedLoad((stop) => this.#read(stop))
      const settled = () => {
        if (this.#loading === load) this.#loading = undefined
      }
      this.#loading = load
      load.done.then(settled, settled)
    }
    return this.#loading.wait(signal)
  }

  async #read(signal: AbortSignal): Promise<Snapshot> {
    const changes = this.#changes
    const tools = new Map<string, ListedTool>()
    const leftOut = new Map<string, string>()
    const warn = ({ tool, message }: CallerWarning) => {
      if (tool !== undefined) leftOut.set(tool, message)
    }
    let freshUntil = Infinity
    const fetch = async (cursor: string | undefined) => {
      const page = await this.#fetch(cursor, signal, warn)
      freshUntil = Math.min(freshUntil, this.#now() + lifetime(page))
      return page
    }
    for await (const page of listPages('tools/list', fetch, this.#mostPages)) {
      for (const tool of page['tools'] as readonly ListedTool[]) tools.set(tool.name, tool)
    }
    const isCurrent = changes === this.#changes
    const snapshot = { tools, leftOut, freshUntil: isCurrent ? freshUntil : -Infinity }
    if (isCurrent || this.#latest === undefined) this.#latest = snapshot
    return snapshot
  }
}

function found({ tools, leftOut }: Snapshot, name: string): Found {
  const tool = tools.get(name)
  if (tool !== undefined) return { tool }
  const reason = leftOut.get(name)
  return reason === undefined ? undefined : { leftOut: reason }
}

/** Milliseconds a page stays fresh; anything but a positive whole number is none. */
function lifetime({ ttlMs }: JsonObject): number {
  return typeof ttlMs === 'number' && Number.isSafeInteger(ttlMs) && ttlMs > 0 ? ttlMs : 0
}
