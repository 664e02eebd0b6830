import { DefinitionError } from '../errors.js'
import { scopeAlternatives, type ScopeRule } from '../oauth/scope.js'
import { implementation, type Implementation } from '../contract/implementation.js'
import { checkCache } from '../contract/resource.js'
import type { CacheHint } from '../protocol/revision.js'
import { modern } from '../protocol/2026-07-28/revision.js'
import type { Span } from '../protocol/span.js'
import { revisions } from '../protocol/negotiation.js'
import { stringValues, type Schema } from '../contract/schema/json-schema.js'
import type { DispatchContext } from './call.js'
import type { CallerCatalogs } from './caller-catalog.js'
import { buildCatalog, nameOf, type Catalog, type Offer } from './catalog.js'
import type { Changes } from './changes/changes.js'
import { discoverMethod, type Discovery } from './discovery.js'
import { dispatch, type Answer, type McpRequest } from './dispatch.js'
import { handlerRunner, type Around } from './handler.js'
import { inputExchange } from './input/input-exchange.js'
import type { InputStateOptions } from './input/state-seal.js'
import { legacyMethods } from './legacy-methods.js'
import { catalogMethods, uncached, type ListCaching } from './methods.js'
import { listenLimits, type ListenLimits } from './subscriptions/listen-limits.js'
import { listening } from './subscriptions/listening.js'
import type { SubscriptionSource } from './subscriptions/source.js'

export interface ServerOptions extends Implementation, Offer {
  /** Whether every request comes with a principal; scopes are checked only then. */
  readonly authenticated: boolean
  /** Scopes needed for whatever declares none: lists, discovery, and definitions without `scopes`. */
  readonly basicScopes?: ScopeRule
  /** Guidance for the model on how to use this server. */
  readonly instructions?: string
  readonly cache?: ListCaching
  /** How many things a list page holds; 1,000 when left out. */
  readonly pageSize?: number
  /** Serves 2025-11-25 clients at the same place; true when left out. */
  readonly legacy?: boolean
  /** Shows a caller only what its scopes allow, instead of telling it which scopes to ask for; false when left out. */
  readonly hideUnauthorized?: boolean
  /** Lists made for each caller instead of the fixed ones. */
  readonly catalogs?: CallerCatalogs
  /** Tells what changed, to those who follow it; left out, nothing can be followed. */
  readonly changes?: Changes
  /** A feed of changes of the host's own, instead of `changes`. */
  readonly subscriptions?: SubscriptionSource
  /** Bounds of the streams on which changes are told. */
  readonly listen?: Partial<ListenLimits>
  /** The values in the URL of the endpoint, such as `z.object({ organization: z.string() })`. */
  readonly route?: Schema
  /** How what a call carries between its questions is sealed; needed when several instances serve. */
  readonly inputState?: InputStateOptions
  /** Work around each call, after authorization and validation; the first one is outermost. */
  readonly around?: readonly Around[]
  /** @internal Where telemetry watches. */
  readonly span?: Span
}

/** An MCP server without a transport. */
export interface McpServer {
  /** Answers one message. Never rejects. */
  dispatch(request: McpRequest, context: DispatchContext): Promise<Answer>
  /** Ends all subscriptions as they should end, and lets no more begin. */
  close(): void
}

/**
 * Builds a server from what it offers, once; nothing is made per request. Throws `ERR_DEFINITION` and `ERR_OPTION`.
 */
export function createServer(options: ServerOptions): McpServer {
  const { authenticated, cache = {}, pageSize = 1000, around = [], instructions, catalogs = {} } = options
  const hideUnauthorized = options.hideUnauthorized ?? false
  checkOptions(options)
  const serverInfo = JSON.stringify(implementation('', options))
  const catalog = buildCatalog(options)
  if (!authenticated) refuseScopes(catalog)
  const served = options.legacy === false ? [modern] : revisions
  const parts = {
    catalog,
    run: handlerRunner(around, options.span),
    beginInput: inputExchange(options.name, options.inputState),
    serverInfo,
    pageSize,
    cache,
    hideUnauthorized,
    catalogs,
  }
  const {
    method: listen,
    changeable,
    close,
  } = listening({
    ...{ catalog, catalogs, serverInfo, changes: options.changes, source: options.subscriptions },
    limits: listenLimits(options.listen),
  })
  const discovery: Discovery = {
    catalog,
    changeable,
    served,
    serverInfo,
    instructions,
    cache: cache.discover ?? uncached,
  }
  const methods = catalogMethods(parts)
  const core = new Map([...methods].filter(([, { extension }]) => extension === undefined))
  const dispatcher = {
    served,
    serverInfo,
    hideUnauthorized,
    route: options.route && stringValues(options.route, 'route'),
    basicScopes: authenticated ? scopeAlternatives('basicScopes', options.basicScopes ?? []) : undefined,
    methods: new Map(
      served.map((revision) => [
        revision,
        revision === modern
          ? new Map([
              ...methods,
              ['server/discover', discoverMethod(discovery)] as const,
              ['subscriptions/listen', listen] as const,
            ])
          : new Map([...core, ...legacyMethods(discovery)]),
      ]),
    ),
  }
  const answer: McpServer['dispatch'] = (request, context) => dispatch(dispatcher, request, context)
  return { dispatch: options.span === undefined ? answer : watched(answer, options.span), close }
}

function watched(answer: McpServer['dispatch'], span: Span): McpServer['dispatch'] {
  return (request, context) => {
    const { method } = request.body
    return span('mcp.request', typeof method === 'string' ? method : '', () => answer(request, context))
  }
}

function checkOptions(options: ServerOptions): void {
  const { pageSize = 1, cache = {}, authenticated, basicScopes } = options
  const around: unknown = options.around ?? []
  if (!Number.isSafeInteger(pageSize) || pageSize < 1) {
    throw new DefinitionError('`pageSize` must be a whole number, 1 or more', 'ERR_OPTION')
  }
  for (const [list, hint] of Object.entries<CacheHint | undefined>({ ...cache }))
    checkCache(`cache.${list}`, hint)
  if (!Array.isArray(around) || !around.every((step: unknown) => typeof step === 'function')) {
    throw new DefinitionError('`around` must be a list of functions', 'ERR_OPTION')
  }
  if (!authenticated && basicScopes !== undefined) {
    throw new DefinitionError("`basicScopes` need a resource server: auth is 'none'", 'ERR_OPTION')
  }
}

function refuseScopes({ scopes, extensions }: Catalog): void {
  const methods = extensions.flatMap((extension) => Object.entries(extension.methods ?? {}))
  const guarded = methods
    .filter(([, { scopes }]) => scopes !== undefined && typeof scopes !== 'function')
    .map(([name]) => `method ${name}`)
  for (const name of [...Array.from(scopes.keys(), nameOf), ...guarded]) {
    throw new DefinitionError(`${name} declares scopes, but auth is 'none': nobody could be checked`)
  }
}
