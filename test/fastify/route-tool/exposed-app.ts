import { Writable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifySchema, type FastifyServerOptions } from 'fastify'
import mcp, { routeCollector, type McpOptions } from 'castellan/fastify'
import { modern } from '../../wire.js'

type Tools = NonNullable<McpOptions['tools']>

export interface ExposedApp {
  readonly app: FastifyInstance
  /** The lines the app logged, parsed. */
  readonly log: Record<string, any>[]
  /** The listed tool of this name. */
  readonly tool: (name: string) => Promise<any>
  /** The result of a call, or the JSON-RPC error. */
  readonly call: (
    name: string,
    args?: Record<string, unknown>,
    headers?: Record<string, string>,
  ) => Promise<any>
  /** The text of the answer to a call. */
  readonly text: (name: string, args?: Record<string, unknown>) => Promise<string>
}

export interface Exposed {
  readonly routes: (app: FastifyInstance) => unknown
  readonly tools: Tools
  readonly mcp?: Partial<McpOptions>
  readonly fastify?: FastifyServerOptions
}

/** An app with its routes and, unless told otherwise, an open MCP endpoint that exposes some of them. */
export async function exposed({ routes, tools, mcp: options, fastify }: Exposed): Promise<ExposedApp> {
  const log: Record<string, any>[] = []
  const stream = new Writable({
    write(line: Buffer, _encoding, written) {
      log.push(JSON.parse(line.toString()))
      written()
    },
  })
  const app = Fastify({ logger: { level: 'info', stream }, ...fastify })
  await app.register(routeCollector)
  await routes(app)
  await app.register(mcp, { path: '/mcp', name: 'test', version: '1.0.0', auth: 'none', tools, ...options })
  await app.ready()
  const ask = async (method: string, params: Record<string, unknown>, headers = {}) => {
    const { body, headers: own } = modern(method, params)
    const answer = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...own, ...headers },
      payload: JSON.stringify(body),
    })
    const { result, error } = answer.body === '' ? { error: answer.statusCode } : answer.json()
    return result ?? { error }
  }
  const call: ExposedApp['call'] = (name, args = {}, headers = {}) =>
    ask('tools/call', { name, arguments: args }, headers)
  return {
    app,
    log,
    tool: async (name) => (await ask('tools/list', {})).tools.find((tool: any) => tool.name === name),
    call,
    text: async (name, args) => (await call(name, args)).content[0].text,
  }
}

/** Why an app with these routes and tools does not start. */
export async function refusal(
  routes: Exposed['routes'],
  tools: Tools,
  rest: Partial<Exposed> = {},
): Promise<any> {
  try {
    await exposed({ routes, tools, ...rest })
  } catch (error) {
    return error
  }
  throw new Error('The app started')
}

/** An object of string properties. */
export function strings(...names: string[]) {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  }
}

/** The schema of a route with what OpenAPI adds to it. */
export function described(schema: object): FastifySchema {
  return schema
}
