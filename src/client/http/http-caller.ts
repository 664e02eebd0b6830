import { DefinitionError } from '../../errors.js'
import type { HttpExchange } from '../../network/http-exchange.js'
import { fetchExchange } from '../../network/http-fetch-exchange.js'
import { undiciExchange } from '../../network/http-undici-exchange.js'
import type { ClientTransport } from '../../transports/client-transport.js'
import type { McpCaller } from '../caller.js'
import { callerOver } from '../engine/caller-over.js'
import type { CallerLimits, CallerOptions } from '../caller-options.js'
import { routedEndpoint, type RouteOption } from './http-address.js'
import { httpChannel } from './http-channel.js'
import type { AnswerLimits } from './limits.js'

interface CommonOptions extends CallerOptions {
  readonly limits?: CallerLimits & AnswerLimits
}

interface DirectOptions {
  /** The URL of the server, such as `https://example.com/organizations/:organization/mcp`. */
  readonly endpoint: string
  readonly transport?: never
  /** Brings another network; connections of our own are several times faster. */
  readonly fetch?: typeof globalThis.fetch
}

interface TransportOptions {
  /** Adds authorization; made by the functions of `castellan/transports`. It is closed with the caller. */
  readonly transport: ClientTransport
  readonly endpoint?: never
  readonly fetch?: never
  readonly route?: never
}

/** Options of `httpCaller`: either an `endpoint` with the values it wants, or a `transport`. */
export type HttpCallerOptions<Endpoint extends string = string> = CommonOptions &
  ((DirectOptions & { readonly endpoint: Endpoint } & RouteOption<Endpoint>) | TransportOptions)

/**
 * A caller of one MCP server over HTTP. It sends nothing until it is asked to; close it to let go of its connections.
 * Deadlines are signals of the calls. Throws `ERR_OPTION`. MCP 2026-07-28, Streamable HTTP.
 */
export function httpCaller<const Endpoint extends string>(options: HttpCallerOptions<Endpoint>): McpCaller {
  const common: CommonOptions = options
  const { limits = {} } = common
  const extensions = { ...options.transport?.extensions, ...common.extensions }
  return callerOver(httpChannel({ exchange: exchangeOf(options), limits }), { ...common, extensions })
}

function exchangeOf(options: HttpCallerOptions): HttpExchange {
  const { endpoint, transport, fetch, route } = options
  if ((endpoint === undefined) === (transport === undefined)) {
    throw new DefinitionError('Either `endpoint` or `transport` is needed, not both', 'ERR_OPTION')
  }
  if (transport !== undefined) return transport.exchange
  const url = routedEndpoint(endpoint, route)
  return fetch === undefined ? undiciExchange(url) : fetchExchange(url, fetch)
}
