import type { FollowerContext } from '../../contract/extension.js'
import { DefinitionError } from '../../errors.js'
import type { ListKind, Selection } from './filter.js'

/** What a feed of changes tells: first what it follows of the selection, all of it when left out, then changes. */
export type SourceEvent =
  | ({ readonly kind: 'acknowledged' } & Partial<Selection>)
  | { readonly kind: 'tools_changed' | 'prompts_changed' | 'resources_changed' }
  | { readonly kind: 'resource_updated'; readonly uri: string }
  | { readonly kind: 'state_changed'; readonly filter: string; readonly id: string }

/** What a feed is told about the stream it feeds. */
export interface SourceContext extends FollowerContext {
  /** Aborts when nobody listens any more. */
  readonly signal: AbortSignal
}

/** The kinds of changes a feed knows of. */
export interface SourceKinds {
  readonly resources?: boolean
  /** Lists made by `catalogs`. */
  readonly catalogs?: readonly ListKind[]
  /** Filter members of extensions, such as `taskIds`. */
  readonly states?: readonly string[]
}

/** Follows for one stream what its caller selected, as far as the caller may see it. */
export type FollowSelection = (
  selection: Selection,
  context: SourceContext,
) => AsyncIterator<SourceEvent, unknown, undefined>

/** A feed of changes a host has already, instead of a bus. */
export interface SubscriptionSource {
  readonly kinds: SourceKinds
  readonly follow: FollowSelection
}

/**
 * Lets a host's own feed tell changes: `follow`, usually an `async function*`, runs once for each stream, yields
 * `{ kind: 'acknowledged' }` first and changes from then on. When it returns, the stream completes; when it throws, or
 * yields what was not selected, the stream ends with an error. Throws `ERR_OPTION`.
 */
export function subscriptionSource(kinds: SourceKinds, follow: FollowSelection): SubscriptionSource {
  if (typeof follow === 'function') return Object.freeze({ kinds, follow })
  throw new DefinitionError('`subscriptionSource` takes a function that follows a selection', 'ERR_OPTION')
}
