import type { CacheHint, Revision } from '../protocol/revision.js'
import type { Catalog } from './catalog.js'
import { PreparedResult, type Method } from './method.js'
import { completes } from './methods.js'
import type { Changeable } from './subscriptions/watchable.js'

/** What a server tells about itself before anything is called. */
export interface Discovery {
  readonly catalog: Catalog
  readonly changeable: Changeable
  readonly served: readonly Revision[]
  readonly serverInfo: string
  readonly instructions: string | undefined
  readonly cache: CacheHint
}

/** Older clients have no way to follow changes. */
const unchanging: Changeable = { lists: [], resources: false }

/** Only what is offered is advertised (MCP 2026-07-28, server/discover). */
export function capabilities(catalog: Catalog, changeable = unchanging): Record<string, unknown> {
  const listChanged = (kind: 'tools' | 'prompts' | 'resources') =>
    changeable.lists.includes(kind) ? { listChanged: true } : {}
  const subscribe = changeable.resources ? { subscribe: true } : {}
  const extensions = Object.fromEntries(catalog.extensions.map(({ id, settings = {} }) => [id, settings]))
  return {
    ...(catalog.tools === undefined ? {} : { tools: listChanged('tools') }),
    ...(catalog.resources === undefined ? {} : { resources: { ...listChanged('resources'), ...subscribe } }),
    ...(catalog.prompts === undefined ? {} : { prompts: listChanged('prompts') }),
    ...(completes(catalog) ? { completions: {} } : {}),
    ...(catalog.extensions.length === 0 ? {} : { extensions }),
  }
}

/** `server/discover`; the identity stands in `_meta` and, for older shells, at the top level too. */
export function discoverMethod({
  catalog,
  changeable,
  served,
  serverInfo,
  instructions,
  cache,
}: Discovery): Method {
  const discovered = JSON.stringify({
    supportedVersions: served.map(({ version }) => version),
    capabilities: capabilities(catalog, changeable),
    instructions,
  })
  const members = `${discovered.slice(1, -1)},"serverInfo":${serverInfo}`
  const prepared = new Map(
    served.map((revision) => [revision, new PreparedResult(revision.encode({ members, cache }, serverInfo))]),
  )
  return { run: (call) => prepared.get(call.revision) ?? { members, cache } }
}
