import type { Awaitable } from './access.js'
import type { HandlerContext } from './context.js'

/** Suggestions, best first; `total` counts all matches when more exist than are sent. */
export interface Completion {
  readonly values: readonly string[]
  readonly total?: number
  readonly hasMore?: boolean
}

/** What a completer gets besides the text typed so far: the arguments already chosen. */
export interface CompletionContext extends HandlerContext {
  readonly chosen: Readonly<Record<string, string>>
}

/** Suggests values for one argument; no more than 100 are sent (MCP 2026-07-28, completion). */
export type Completer = (
  value: string,
  context: CompletionContext,
) => Awaitable<readonly string[] | Completion>

export type Completers<Name extends string> = { readonly [N in Name]?: Completer }
