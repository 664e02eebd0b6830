import type { Awaitable } from '../contract/access.js'
import type { HandlerContext } from '../contract/context.js'
import type { Annotations, Icon, Meta } from '../contract/presentation.js'
import { WireError } from '../errors.js'
import type { CacheHint, ResultBody } from '../protocol/revision.js'
import type { Call } from './call.js'
import { visible, type ListEntry } from './listing.js'
import type { Method } from './method.js'

/** Where a page begins: the cursor this source gave out, absent for the first page. */
export interface CatalogPosition {
  readonly cursor?: string
}

/** A page of things that are declared on the server, by name. */
export interface NamedPage {
  readonly names: readonly string[]
  readonly nextCursor?: string
}

/** A page of resource templates that are declared on the server. */
export interface TemplatePage {
  readonly uriTemplates: readonly string[]
  readonly nextCursor?: string
}

/** A resource as a caller's catalog lists it; reading it is authorized on its own. */
export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly size?: number
  readonly annotations?: Annotations
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
}

export interface ResourcePage {
  readonly resources: readonly ListedResource[]
  readonly nextCursor?: string
}

/** Lists for each caller instead of the fixed ones. Being absent from a list prohibits nothing. */
export interface CallerCatalogs {
  readonly tools?: (position: CatalogPosition, context: HandlerContext) => Awaitable<NamedPage>
  readonly prompts?: (position: CatalogPosition, context: HandlerContext) => Awaitable<NamedPage>
  readonly resources?: (position: CatalogPosition, context: HandlerContext) => Awaitable<ResourcePage>
  readonly templates?: (position: CatalogPosition, context: HandlerContext) => Awaitable<TemplatePage>
}

/** Where pages of declared things come from. */
export type NamedSource = NonNullable<CallerCatalogs['tools']>

/** The names of templates are their texts. */
export function templatesByName({ templates }: CallerCatalogs): NamedSource | undefined {
  if (templates === undefined) return undefined
  return async (position, context) => {
    const { uriTemplates, ...rest } = await templates(position, context)
    return { names: uriTemplates, ...rest }
  }
}

/** A list method whose pages name declared things; an unknown or repeated name is the source's fault. */
export function namedList(
  member: string,
  entries: ReadonlyMap<string, ListEntry>,
  source: NamedSource,
  cache: CacheHint,
  hideUnauthorized: boolean,
): Method {
  return {
    run: async (call) => {
      const { names, nextCursor } = await source(position(call), call)
      if (new Set(names).size !== names.length)
        throw new TypeError(`The catalog of ${member} names something twice`)
      const page = names.map((name) => {
        const entry = entries.get(name)
        if (entry === undefined)
          throw new TypeError(`The catalog of ${member} names ${name}, which is not declared`)
        return entry
      })
      const shown = hideUnauthorized ? page.filter((entry) => visible(entry, call.principal)) : page
      const json = shown.map((entry) => entry.json(call.revision))
      return listBody(member, json, nextCursor, cache)
    },
  }
}

/** A list method whose pages describe resources in full. */
export function resourceList(
  source: NonNullable<CallerCatalogs['resources']>,
  cache: CacheHint,
  isShown: (uri: string, call: Call) => boolean,
): Method {
  return {
    run: async (call) => {
      const { resources, nextCursor } = await source(position(call), call)
      for (const { uri, name } of resources) {
        if (typeof uri !== 'string' || typeof name !== 'string') {
          throw new TypeError('The catalog of resources lists one without a uri or a name')
        }
      }
      return listBody(
        'resources',
        resources.filter(({ uri }) => isShown(uri, call)).map((resource) => JSON.stringify(resource)),
        nextCursor,
        cache,
      )
    },
  }
}

function position(call: Call): CatalogPosition {
  const { cursor } = call.envelope.params
  if (cursor === undefined) return {}
  if (typeof cursor !== 'string') throw new WireError('ERR_TARGET', 'The cursor is not valid')
  return { cursor }
}

/** What depends on the caller is never shared. */
function listBody(
  member: string,
  page: readonly string[],
  nextCursor: string | undefined,
  cache: CacheHint,
): ResultBody {
  if (nextCursor !== undefined && typeof nextCursor !== 'string')
    throw new TypeError(`The catalog of ${member} gave a cursor that is not text`)
  const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`
  return { members: `"${member}":[${page.join(',')}]${next}`, cache: { ...cache, scope: 'private' } }
}
