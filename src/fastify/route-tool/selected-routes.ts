import type { FastifyInstance } from 'fastify'
import { DefinitionError } from '../../errors.js'
import { ownGuard } from '../own-guard.js'
import { seenRoutes, type SeenRoute } from './route-collector.js'
import { selected, type RouteCandidate, type RouteSelection, type RouteToolOptions } from './route-tool.js'

/** A route that shall be a tool, with what was said about it. */
export interface SelectedRoute {
  readonly route: SeenRoute
  readonly options: Omit<RouteToolOptions, 'method' | 'url'>
}

const exposable = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Finds the routes of a selection. Throws `ERR_OPTION` for one that nobody registered or that cannot be a tool. */
export function selectedRoutes(app: FastifyInstance, selection: RouteSelection): readonly SelectedRoute[] {
  const routes = app[seenRoutes]
  if (routes === undefined) {
    throw new DefinitionError(
      'routeTool and routeTools need `await app.register(routeCollector)` at the root of the app, before every route',
      'ERR_OPTION',
    )
  }
  const chosen = selected(selection)
  if ('url' in chosen) return [{ route: theRoute(routes, chosen), options: chosen }]
  const { tag, where, scopes, answerLimit } = chosen
  return routes
    .filter((route) => exposable.has(route.method) && !isOwn(route))
    .map((route) => ({ route, candidate: candidateOf(route) }))
    .filter(({ candidate }) => tag === undefined || candidate.tags.includes(tag))
    .filter(({ candidate }) => where === undefined || where(candidate))
    .map(({ route }) => {
      const own = route.options.config?.scopes !== undefined
      return {
        route,
        options: {
          ...(scopes !== undefined && !own && { scopes }),
          ...(answerLimit !== undefined && { answerLimit }),
        },
      }
    })
}

/** How a route is called in messages. */
export function routeName({ method, url }: Pick<SeenRoute, 'method' | 'url'>): string {
  return `route ${method} ${url}`
}

/** What OpenAPI lets a route say of itself in `schema`. */
export interface Described {
  readonly operationId?: unknown
  readonly summary?: unknown
  readonly description?: unknown
  readonly tags?: unknown
}

function theRoute(routes: readonly SeenRoute[], wanted: RouteToolOptions): SeenRoute {
  const where = routeName(wanted)
  if (!exposable.has(wanted.method)) {
    throw new DefinitionError(`${where}: only ${[...exposable].join(', ')} can be a tool`, 'ERR_OPTION')
  }
  const route = routes.find(({ method, url }) => method === wanted.method && url === wanted.url)
  if (route === undefined) {
    throw new DefinitionError(
      `${where}: the app has no such route; write the URL with its prefix`,
      'ERR_OPTION',
    )
  }
  if (isOwn(route))
    throw new DefinitionError(`${where}: a route of MCP itself cannot be a tool`, 'ERR_OPTION')
  return route
}

/** The endpoint and the metadata documents; tools that call tools would never end. */
function isOwn({ options }: SeenRoute): boolean {
  return options.config !== undefined && ownGuard in options.config
}

function candidateOf({ method, url, options }: SeenRoute): RouteCandidate {
  const { operationId, tags } = (options.schema ?? {}) as Described
  return Object.freeze({
    method,
    url,
    operationId: typeof operationId === 'string' ? operationId : undefined,
    tags: Array.isArray(tags) ? tags.map(String) : [],
    config: (options.config ?? {}) as Readonly<Record<string, unknown>>,
  })
}
