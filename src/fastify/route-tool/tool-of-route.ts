import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { HandlerContext } from '../../contract/context.js'
import type { ToolAnnotations } from '../../contract/presentation.js'
import { defineTool } from '../../contract/tool.js'
import { DefinitionError } from '../../errors.js'
import type { JsonObject } from '../../protocol/json.js'
import type { ResourceServer } from '../../resource-server/resource-server.js'
import type { BoundTool } from '../../server/tools.js'
import { handle } from '../../server/handle.js'
import { injectWith } from '../in-process-request.js'
import { protectorOf } from '../protect.js'
import { querySyntax } from './query-syntax.js'
import { toolAnswer } from './route-answer.js'
import type { SeenRoute } from './route-collector.js'
import { routeArguments, routeInput } from './route-input.js'
import { declaredAnswer, routeOutput } from './route-output.js'
import { routePath } from './route-path.js'
import { requestWriter } from './route-request.js'
import { routeSchemas } from './route-schemas.js'
import { routeName, type Described, type SelectedRoute } from './selected-routes.js'

const defaultLimit = 1024 * 1024

/** Makes the tool of a route. Throws `ERR_DEFINITION` and `ERR_OPTION` for a route that cannot be one. */
export async function toolOfRoute(
  { route, options }: SelectedRoute,
  auth: ResourceServer | undefined,
): Promise<BoundTool> {
  const where = routeName(route)
  const schema = (route.options.schema ?? {}) as Described
  if (Object.keys(route.options.constraints ?? {}).length > 0) {
    throw new DefinitionError(`${where}: a route with constraints cannot be a tool`)
  }
  const shared = route.app.getSchemas()
  const path = routePath(where, route.url)
  const output = await routeOutput(where, declaredAnswer(where, schema), shared)
  const scopes = scopesOf(where, { route, options }, auth)
  const { input, write } = inputOf(where, { route, options }, path)
  const definition = defineTool({
    ...presentationOf(where, schema, options),
    input,
    ...(output !== undefined && { output }),
    ...(scopes !== undefined && { scopes }),
    annotations: { ...hints[route.method], ...options.annotations },
  })
  const rules = { where, limit: options.answerLimit ?? defaultLimit, structured: output !== undefined }
  const run = async (values: JsonObject, context: HandlerContext): Promise<never> =>
    (await toolAnswer(await injected(route, write(values), context, auth), rules)) as never
  return handle(definition, run)
}

const hints: Readonly<Record<string, ToolAnnotations>> = {
  GET: { readOnlyHint: true },
  PUT: { idempotentHint: true },
  DELETE: { destructiveHint: true, idempotentHint: true },
}

function presentationOf(where: string, schema: Described, options: SelectedRoute['options']) {
  const { operationId, summary, description } = schema
  const name = options.name ?? operationId
  const told = options.description ?? description ?? summary
  const title = options.title ?? (told === summary ? undefined : summary)
  if (typeof name !== 'string') {
    throw new DefinitionError(
      `${where}: a tool needs a name: give \`name\`, or schema.operationId on the route`,
    )
  }
  if (typeof told !== 'string') {
    throw new DefinitionError(
      `${where}: a tool needs a description: give \`description\`, or schema.description on the route`,
    )
  }
  return { name, description: told, ...(typeof title === 'string' && { title }) }
}

function scopesOf(where: string, { route, options }: SelectedRoute, auth: ResourceServer | undefined) {
  const scopes = options.scopes ?? route.options.config?.scopes
  const protector = protectorOf(route.app)
  if (auth !== undefined && scopes === undefined) {
    throw new DefinitionError(
      `${where}: say which scopes it needs: config.scopes on the route, or \`scopes\``,
    )
  }
  if (auth === undefined && (scopes !== undefined || protector !== undefined)) {
    throw new DefinitionError(`${where}: it is protected, but auth is 'none': nobody could be checked`)
  }
  if (protector !== undefined && protector !== auth) {
    throw new DefinitionError(
      `${where}: it is protected by another resource server; the endpoint and \`protect\` need the same \`auth\``,
    )
  }
  return scopes
}

function inputOf(where: string, { route, options }: SelectedRoute, path: ReturnType<typeof routePath>) {
  const { params, querystring, query, body } = (route.options.schema ?? {}) as Readonly<
    Record<string, unknown>
  >
  const parts = { params, querystring: querystring ?? query, body: bodySchema(where, body) }
  const schemas = routeSchemas(where, parts, route.app.getSchemas(), 'input')
  const syntax = querySyntax((text) => parsedByRouter(route, text))
  const found = routeArguments(where, { path, schemas, syntax, names: options.names ?? {} })
  return { input: routeInput(found, schemas), write: requestWriter(route.method, path, found, syntax) }
}

/** Of a body described by media type, as OpenAPI 3 does, the JSON one. */
function bodySchema(where: string, body: unknown): unknown {
  const { content } = Object(body) as { readonly content?: Readonly<Record<string, { schema?: unknown }>> }
  if (typeof content !== 'object') return body
  const json = content['application/json']
  if (json !== undefined) return json.schema
  throw new DefinitionError(`${where}: it takes ${Object.keys(content).join(', ')}; a tool sends JSON`)
}

/** What the app's own querystring parser makes of a query. */
function parsedByRouter({ method, url, app }: SeenRoute, query: string): unknown {
  const found = app.findRoute({ method, url: `${url}?${query}` })
  return (found as { readonly searchParams?: unknown } | null)?.searchParams
}

function injected(
  { app, method, url }: SeenRoute,
  request: InjectOptions,
  { principal, signal }: HandlerContext,
  auth: ResourceServer | undefined,
): Promise<LightMyRequestResponse> {
  signal.throwIfAborted()
  const caller = principal !== undefined && auth !== undefined ? { principal, auth } : undefined
  const luggage = { caller, route: { method, url, signal } }
  return injectWith(app, luggage, { ...request, payloadAsStream: true })
}
