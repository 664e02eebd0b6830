import { DefinitionError } from '../../errors.js'
import type { Principal } from '../../oauth/principal.js'
import type { CallerCatalogs } from '../caller-catalog.js'
import type { Catalog } from '../catalog.js'
import { visible } from '../listing.js'
import type { ListKind, Selection } from './filter.js'
import type { SubscriptionSource } from './source.js'

/** What can change on a server: lists that are made for each caller, and resources. */
export interface Changeable {
  readonly lists: readonly ListKind[]
  readonly resources: boolean
}

/** What of its lists and resources a server tells changes of; nothing when nobody tells it. */
export function changeable(catalog: Catalog, catalogs: CallerCatalogs, isTold: boolean): Changeable {
  if (!isTold) return { lists: [], resources: false }
  const kinds = ['tools', 'prompts', 'resources'] as const
  return {
    lists: kinds.filter((kind) => changes(kind, catalog, catalogs)),
    resources: catalog.resources !== undefined,
  }
}

/** Whether a list is made for each caller; that of templates is told of as one of resources. */
function changes(kind: ListKind, catalog: Catalog, catalogs: CallerCatalogs): boolean {
  const isMade = catalogs[kind] ?? (kind === 'resources' ? catalogs.templates : undefined)
  return catalog[kind] !== undefined && isMade !== undefined
}

/** The lists and resources of a selection that a caller may follow. */
export type Watchable = (
  wanted: Selection,
  principal: Principal | undefined,
) => Pick<Selection, 'lists' | 'resources'>

/** The same for a source, which knows what it tells. Throws `ERR_OPTION` for a list that never changes. */
export function changeableBy(
  { kinds }: SubscriptionSource,
  catalog: Catalog,
  catalogs: CallerCatalogs,
): Changeable {
  const lists = kinds.catalogs ?? []
  for (const kind of lists) {
    if (changes(kind, catalog, catalogs)) continue
    throw new DefinitionError(
      `\`subscriptions\`: the list of ${kind} is fixed and never changes`,
      'ERR_OPTION',
    )
  }
  return { lists, resources: kinds.resources === true && catalog.resources !== undefined }
}

/** A caller may follow the URIs it may read: those of declared resources whose scopes it holds. */
export function watchable({ lists, resources }: Changeable, { index, scopes }: Catalog): Watchable {
  return (wanted, principal) => ({
    lists: wanted.lists.filter((kind) => lists.includes(kind)),
    resources: wanted.resources.filter((uri) => {
      const found = resources ? index.find(uri) : undefined
      return found !== undefined && visible({ scopes: scopes.get(found.bound.definition) }, principal)
    }),
  })
}
