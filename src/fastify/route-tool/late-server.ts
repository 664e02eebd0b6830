import type { FastifyInstance } from 'fastify'
import type { ResourceServer } from '../../resource-server/resource-server.js'
import type { McpServer } from '../../server/server.js'
import type { BoundTool } from '../../server/tools.js'
import type { SeenRoute } from './route-collector.js'
import { isRouteSelection, type RouteSelection } from './route-tool.js'
import { selectedRoutes } from './selected-routes.js'
import { toolOfRoute } from './tool-of-route.js'

/** A tool of the host, or routes that become tools. */
export type OfferedTool = BoundTool | RouteSelection

/** The tools that are known at once. */
export function ownTools(tools: readonly OfferedTool[] = []): readonly BoundTool[] {
  return tools.filter((tool): tool is BoundTool => !isRouteSelection(tool))
}

/**
 * Builds a server at once, or, if some of its tools are routes, when the app is ready, since only then all routes are
 * known. Which ones are exposed is logged then, so that nothing is by surprise.
 */
export function serverWithRoutes(
  app: FastifyInstance,
  tools: readonly OfferedTool[] | undefined,
  auth: ResourceServer | undefined,
  build: (offer: { readonly tools?: readonly BoundTool[] }) => McpServer,
): McpServer {
  if (!Array.isArray(tools) || !tools.some(isRouteSelection)) {
    return build(tools === undefined ? {} : { tools: tools as readonly BoundTool[] })
  }
  return serverOnceReady(app, tools, auth, build)
}

function serverOnceReady(
  app: FastifyInstance,
  tools: readonly OfferedTool[],
  auth: ResourceServer | undefined,
  build: (offer: { readonly tools: readonly BoundTool[] }) => McpServer,
): McpServer {
  let server: McpServer | undefined
  app.addHook('onReady', async () => {
    const all: BoundTool[] = []
    const review: object[] = []
    for (const tool of tools) {
      if (!isRouteSelection(tool)) {
        all.push(tool)
        continue
      }
      for (const chosen of selectedRoutes(app, tool)) {
        const bound = await toolOfRoute(chosen, auth)
        all.push(bound)
        review.push(reviewed(chosen.route, bound))
      }
    }
    server = build({ tools: all })
    app.log.info({ routes: review }, 'Routes exposed as MCP tools')
  })
  return {
    dispatch: (request, context) => {
      if (server === undefined) throw new Error('The app is not ready')
      return server.dispatch(request, context)
    },
    close: () => server?.close(),
  }
}

function reviewed({ method, url }: SeenRoute, { definition }: BoundTool): object {
  const { name, scopes, annotations } = definition
  return { method, url, tool: name, scopes, readOnly: annotations?.readOnlyHint === true }
}
