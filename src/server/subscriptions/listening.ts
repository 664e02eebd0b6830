import { DefinitionError } from '../../errors.js'
import type { CallerCatalogs } from '../caller-catalog.js'
import type { Catalog } from '../catalog.js'
import type { Changes } from '../changes/changes.js'
import type { Method } from '../method.js'
import type { ListenLimits } from './listen-limits.js'
import { listenMethod, type StateSource } from './listen.js'
import type { SubscriptionSource } from './source.js'
import { Subscriptions } from './subscriptions.js'
import { changeable, changeableBy, watchable, type Changeable } from './watchable.js'

export interface ListeningParts {
  readonly catalog: Catalog
  readonly catalogs: CallerCatalogs
  readonly serverInfo: string
  readonly changes: Changes | undefined
  readonly source: SubscriptionSource | undefined
  readonly limits: ListenLimits
}

/** What a server needs so that its callers can follow changes. */
export interface Listening {
  readonly method: Method
  readonly changeable: Changeable
  readonly close: () => void
}

/** Puts the parts of listening together. Throws `ERR_OPTION`, and `ERR_DEFINITION` for a filter member used twice. */
export function listening(parts: ListeningParts): Listening {
  const { catalog, catalogs, serverInfo, changes, source, limits } = parts
  checkOrigin(parts)
  const can =
    source === undefined
      ? changeable(catalog, catalogs, changes !== undefined)
      : changeableBy(source, catalog, catalogs)
  const subscriptions = new Subscriptions(serverInfo, limits, changes)
  const told = (filter: string) => changes !== undefined || source?.kinds.states?.includes(filter) === true
  return {
    method: listenMethod({
      ...{ subscriptions, limits, source },
      watchable: watchable(can, catalog),
      ...{ states: stateSources(catalog), isTold: told },
    }),
    changeable: can,
    close: () => subscriptions.close(),
  }
}

function checkOrigin({ changes, source }: ListeningParts): void {
  if (changes !== undefined && typeof (changes as Partial<Changes>).follow !== 'function')
    throw new DefinitionError('`changes` must be what memoryChanges() or redisChanges() gives', 'ERR_OPTION')
  if (source !== undefined && typeof (source as Partial<SubscriptionSource>).follow !== 'function')
    throw new DefinitionError('`subscriptions` must be what subscriptionSource() gives', 'ERR_OPTION')
  if (changes !== undefined && source !== undefined)
    throw new DefinitionError(
      'Changes come from `changes` or from `subscriptions`, not from both',
      'ERR_OPTION',
    )
}

const ownMembers = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged', 'resourceSubscriptions']

function stateSources({ extensions }: Catalog): ReadonlyMap<string, StateSource> {
  const sources = new Map<string, StateSource>()
  for (const { id, subscription } of extensions) {
    if (subscription === undefined) continue
    const { filter } = subscription
    if (sources.has(filter) || ownMembers.includes(filter))
      throw new DefinitionError(`extension ${id}: the filter member ${filter} stands twice`)
    const { notification } = subscription
    sources.set(filter, {
      ...{ extension: id, filter, notification },
      narrow: (ids, context) => subscription.narrow(ids, context),
      state: (one, context) => subscription.state(one, context),
    })
  }
  return sources
}
