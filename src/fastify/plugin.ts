import type { FastifyPluginAsync } from 'fastify'
import { stringValues } from '../contract/schema/json-schema.js'
import { DefinitionError } from '../errors.js'
import { createGuard } from '../resource-server/guard.js'
import type { ResourceServer } from '../resource-server/resource-server.js'
import { createServer, type ServerOptions } from '../server/server.js'
import { auditor, type Audit } from './audit.js'
import { endpoint } from './endpoint.js'
import { checkHandlers } from './handle-for.js'
import { allowedOrigins } from './origin.js'
import { publishMetadata } from './publish-metadata.js'
import { ownTools, serverWithRoutes, type OfferedTool } from './route-tool/late-server.js'
import { tellOwnKey } from './tell-own-key.js'
import { tellRelaxations } from './tell-relaxations.js'

export interface McpOptions extends Omit<ServerOptions, 'authenticated' | 'basicScopes' | 'tools'> {
  /** What `handle` gives, and routes of the app by `routeTool` and `routeTools`. */
  readonly tools?: readonly OfferedTool[]
  /** Where the endpoint stands below the prefix of the app, such as `/mcp`. */
  readonly path: string
  /** Who guards it. `'none'` opens it, to this machine only. */
  readonly auth: ResourceServer | 'none'
  /** Scopes for whatever declares none; named in every 401 and in the metadata document. */
  readonly basicScopes?: readonly string[]
  /** Browser origins that may call, exactly as browsers send them; none when left out. */
  readonly origins?: readonly string[]
  /** The largest body in bytes; the app's own limit when left out. */
  readonly bodyLimit?: number
  /** Lets other machines reach a server whose `auth` is `'none'`. */
  readonly exposeWithoutAuth?: boolean
  /**
   * Hears of every decision: who was let in to which method, and who was turned away and why. What is no question of
   * access, such as a body that cannot be read, is none.
   */
  readonly audit?: Audit
}

/**
 * Mounts an MCP server beside the routes of a Fastify app.
 *
 * Throws `ERR_OPTION` and `ERR_DEFINITION` while the app starts. Under a prefix, register
 * `protectedResourceMetadata` at the root (MCP 2026-07-28, Streamable HTTP and Authorization).
 */
export const mcp: FastifyPluginAsync<McpOptions> = async (app, options) => {
  const {
    path,
    auth,
    basicScopes,
    origins,
    bodyLimit,
    exposeWithoutAuth = false,
    audit,
    ...serverOptions
  } = options
  checkOptions(options)
  const resourceServer = auth === 'none' ? undefined : auth
  const scopes = basicScopes === undefined ? {} : { basicScopes }
  const authenticated = resourceServer !== undefined
  const { tools, ...fixed } = serverOptions
  const server = serverWithRoutes(app, tools, resourceServer, (offer) =>
    createServer({ ...fixed, ...scopes, ...offer, authenticated }),
  )
  checkHandlers({ ...fixed, tools: ownTools(tools) }, auth)
  tellRelaxations(app, auth)
  tellOwnKey(app, { ...fixed, tools: ownTools(tools) })
  const guard =
    resourceServer &&
    createGuard({ resourceServer, ...scopes, ...(options.span === undefined ? {} : { span: options.span }) })
  const target = resourceServer?.resource.split('?', 1)[0] ?? ''
  const watch = {
    origins: allowedOrigins(origins),
    guard,
    target,
    exposed: exposeWithoutAuth,
    audit: auditor(audit),
  }
  const limit = bodyLimit === undefined ? {} : { bodyLimit }
  checkRoute(options, app.prefix)
  if (resourceServer !== undefined) publishMetadata(app, 'mcp', resourceServer, scopes)
  await app.register(endpoint, { prefix: path, server, watch, tools: ownTools(tools), ...limit })
}

function checkOptions({ path, auth }: McpOptions): void {
  if (typeof path !== 'string' || !path.startsWith('/') || path.includes('?')) {
    throw new DefinitionError('`path` must be a path such as /mcp', 'ERR_OPTION')
  }
  if (auth === 'none' || typeof (auth as Partial<ResourceServer> | undefined)?.verify === 'function') return
  throw new DefinitionError(
    "`auth` must be a resource server, or 'none' to leave the endpoint open",
    'ERR_OPTION',
  )
}

/** A schema that asks for a value the path does not have would refuse every request. */
function checkRoute({ path, route }: McpOptions, prefix: string): void {
  if (route === undefined) return
  const given = new Set(Array.from(`${prefix}${path}`.matchAll(/:(\w+)/g), (match) => match[1]))
  for (const { name, required } of stringValues(route, 'route').list) {
    if (given.has(name) || required !== true) continue
    throw new DefinitionError(`route: the path ${prefix}${path} has no :${name}`, 'ERR_OPTION')
  }
}
