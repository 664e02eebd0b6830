import type { ToolAnnotations } from '../../contract/presentation.js'
import { DefinitionError } from '../../errors.js'
import type { ScopeRule } from '../../oauth/scope.js'
import type { ArgumentNames } from './route-input.js'

export interface RouteToolOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The route as it was registered, prefix included, such as `/v1/invoices/:id`. */
  readonly url: string
  /** The name of the tool; the route's `schema.operationId` when left out. */
  readonly name?: string
  /** Shown to people; the route's `schema.summary` when left out, if it has a description, too. */
  readonly title?: string
  /** Told to the model; the route's `schema.description` or `schema.summary` when left out. */
  readonly description?: string
  /** Scopes of the tool; the route's `config.scopes` when left out, and one of the two must be there on a guarded server. */
  readonly scopes?: ScopeRule
  /** Beside what the method says: GET reads only, PUT and DELETE are idempotent, DELETE destroys. */
  readonly annotations?: ToolAnnotations
  /** Other names for arguments, needed where two parts of the route use one name. */
  readonly names?: ArgumentNames
  /** The most bytes of an answer; 1 MiB when left out. */
  readonly answerLimit?: number
}

/** A route as a predicate sees it. */
export interface RouteCandidate {
  readonly method: string
  readonly url: string
  readonly operationId: string | undefined
  /** `schema.tags` of the route. */
  readonly tags: readonly string[]
  /** `config` of the route. */
  readonly config: Readonly<Record<string, unknown>>
}

export interface RouteToolsOptions {
  /** Takes the routes with this tag in `schema.tags`. */
  readonly tag?: string
  /** Takes the routes for which it is true; a tag, if given, must be there as well. */
  readonly where?: (route: RouteCandidate) => boolean
  /** Scopes of those tools whose route has no `config.scopes`. */
  readonly scopes?: ScopeRule
  /** The most bytes of an answer; 1 MiB when left out. */
  readonly answerLimit?: number
}

const selection: unique symbol = Symbol('castellan.route-selection')

/** Routes that become tools when the app is ready; made by `routeTool` and `routeTools`. */
export interface RouteSelection {
  readonly [selection]: RouteToolOptions | RouteToolsOptions
}

/**
 * Makes a tool of one route of the app, run in process with the caller's principal and without its token.
 *
 * Goes into `tools` of `mcp`; needs `routeCollector`. Arguments come from the route's `params`, `querystring` and
 * `body` schemas, the output from its only 2xx schema if that is an object. A 4xx of the route becomes a tool error.
 * What is wrong with it is thrown while the app starts, as `ERR_DEFINITION` or `ERR_OPTION`.
 */
export function routeTool(options: RouteToolOptions): RouteSelection {
  if (typeof options.method !== 'string' || typeof options.url !== 'string') {
    throw new DefinitionError('routeTool: `method` and `url` say which route', 'ERR_OPTION')
  }
  checkLimit('routeTool', options.answerLimit)
  return Object.freeze({ [selection]: { ...options } })
}

/**
 * Makes tools of all routes with a tag, or for which a predicate is true; each is named by its `schema.operationId`.
 *
 * Goes into `tools` of `mcp`; needs `routeCollector`. Nothing is taken without a tag or predicate (`ERR_OPTION`), and
 * routes of MCP itself, HEAD and OPTIONS never are. All else is as with `routeTool`.
 */
export function routeTools(options: RouteToolsOptions): RouteSelection {
  const { tag, where } = options
  if ((tag ?? '') === '' && typeof where !== 'function') {
    throw new DefinitionError('routeTools: `tag` or `where` says which routes', 'ERR_OPTION')
  }
  checkLimit('routeTools', options.answerLimit)
  return Object.freeze({ [selection]: { ...options } })
}

export function isRouteSelection(value: unknown): value is RouteSelection {
  return typeof value === 'object' && value !== null && selection in value
}

/** What was selected, for the part that makes the tools. */
export function selected(routes: RouteSelection): RouteToolOptions | RouteToolsOptions {
  return routes[selection]
}

function checkLimit(where: string, limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) return
  throw new DefinitionError(`${where}: \`answerLimit\` must be a whole number above 0`, 'ERR_OPTION')
}
