import type { CacheHint, Revision } from '../protocol/revision.js'
import type { Catalog } from './catalog.js'
import { PreparedResult, type Method } from './method.js'
import { completes } from './methods.js'

/** What a server tells about itself before anything is called. */
export interface Discovery {
  readonly catalog: Catalog
  readonly served: readonly Revision[]
  readonly serverInfo: string
  readonly instructions: string | undefined
  readonly cache: CacheHint
}

/** Only what is offered is advertised (MCP 2026-07-28, server/discover). */
export function capabilities(catalog: Catalog): Record<string, unknown> {
  const extensions = Object.fromEntries(catalog.extensions.map(({ id, settings = {} }) => [id, settings]))
  return {
    ...(catalog.tools === undefined ? {} : { tools: {} }),
    ...(catalog.resources === undefined ? {} : { resources: {} }),
    ...(catalog.prompts === undefined ? {} : { prompts: {} }),
    ...(completes(catalog) ? { completions: {} } : {}),
    ...(catalog.extensions.length === 0 ? {} : { extensions }),
  }
}

/** `server/discover`; the identity stands in `_meta` and, for older shells, at the top level too. */
export function discoverMethod({ catalog, served, serverInfo, instructions, cache }: Discovery): Method {
  const discovered = JSON.stringify({
    supportedVersions: served.map(({ version }) => version),
    capabilities: capabilities(catalog),
    instructions,
  })
  const members = `${discovered.slice(1, -1)},"serverInfo":${serverInfo}`
  const prepared = new Map(
    served.map((revision) => [revision, new PreparedResult(revision.encode({ members, cache }, serverInfo))]),
  )
  return { run: (call) => prepared.get(call.revision) ?? { members, cache } }
}
