import { identity, isIdentity, type Change, type Changed, type Identity } from './change.js'

/** Who may hear of a change, besides having to follow it; left out, everybody. */
export interface ChangeAudience {
  /** Principals, or their issuer and subject. Nobody for an empty list, and never a caller without a principal. */
  readonly to?: Identity | readonly Identity[]
}

/** Somebody who is told of all changes. */
export interface Follower {
  hear(change: Change): void
  /** Changes may have been missed, and no more will come. */
  lost(): void
}

/**
 * Tells those who listen what changed: give the same value to the plugin and to whatever makes changes.
 *
 * The promises resolve when the change was handed on, and reject when it could not be; nobody has to wait for them.
 * Throws `TypeError` for what is no change (MCP 2026-07-28, "Subscriptions").
 */
export interface Changes {
  /** The list of tools is not what it was; only lists made by `catalogs` can change. */
  toolsChanged(audience?: ChangeAudience): Promise<void>
  promptsChanged(audience?: ChangeAudience): Promise<void>
  resourcesChanged(audience?: ChangeAudience): Promise<void>
  /** What a resource holds has changed; callers follow it by exactly this URI. */
  resourceUpdated(uri: string, audience?: ChangeAudience): Promise<void>
  /** Something of an extension has changed, by the filter member and the id it is followed with. */
  stateChanged(filter: string, id: string, audience?: ChangeAudience): Promise<void>
  /** Tells of every change from when it resolves until the function it resolves with is called. For servers. */
  follow(follower: Follower): Promise<() => void>
}

/** The methods of a bus over what hands a change on. */
export function changesOver(publish: (change: Change) => Promise<void>, follow: Changes['follow']): Changes {
  const tell = (changed: Changed, { to }: ChangeAudience = {}): Promise<void> => {
    const audience = to === undefined ? {} : { to: identities(to) }
    const told = publish({ ...changed, ...audience })
    told.catch(() => undefined)
    return told
  }
  return {
    toolsChanged: (audience) => tell({ kind: 'tools' }, audience),
    promptsChanged: (audience) => tell({ kind: 'prompts' }, audience),
    resourcesChanged: (audience) => tell({ kind: 'resources' }, audience),
    resourceUpdated: (uri, audience) => tell({ kind: 'resource', uri: text('uri', uri) }, audience),
    stateChanged: (filter, id, audience) =>
      tell({ kind: 'state', filter: text('filter', filter), id: text('id', id) }, audience),
    follow,
  }
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError(`\`${name}\` must be a string`)
}

/** A slip in plain JavaScript must not become a change for everybody. */
function identities(to: Identity | readonly Identity[]): readonly Identity[] {
  const list: readonly unknown[] = [to].flat()
  if (!list.every(isIdentity)) throw new TypeError('`to` must be principals, with an issuer and a subject')
  return list.map(identity)
}
