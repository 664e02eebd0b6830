import type { Awaitable } from './access.js'
import type { Principal } from '../oauth/principal.js'
import type { HandlerContext } from './context.js'

/** Suggestions, best first; `total` counts all matches when more exist than are sent. */
export interface Completion {
  readonly values: readonly string[]
  readonly total?: number
  readonly hasMore?: boolean
}

/** What a completer gets besides the text typed so far: the arguments already chosen. */
export interface CompletionContext<Who = Principal | undefined> extends HandlerContext<Who> {
  readonly chosen: Readonly<Record<string, string>>
}

/** Suggests values for one argument; no more than 100 are sent (MCP 2026-07-28, completion). */
export type Completer<Who = Principal | undefined> = (
  value: string,
  context: CompletionContext<Who>,
) => Awaitable<readonly string[] | Completion>

export type Completers<Name extends string, Who = Principal | undefined> = {
  readonly [N in Name]?: Completer<Who>
}
