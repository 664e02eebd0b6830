import { CastellanError } from '../errors.js'
import type { HttpExchange } from '../network/http-exchange.js'

/**
 * A way to one MCP server that adds authorization to every request.
 *
 * Before a request it gets a token: the one it has, or another from the authorization server the resource names. A request
 * that is refused for its token may be sent once more with the same bytes; an answer that was lost, never. What goes wrong
 * before that reaches the caller as the transport's own error, and means that nothing ran.
 *
 * It has two faces over one grant: `exchange` for the callers of this package, `fetch` for any other client, for example
 * `new StreamableHTTPClientTransport(new URL(transport.endpoint), { fetch: transport.fetch })` of the official SDK.
 */
export interface ClientTransport {
  /** The one URL it sends to. Requests to another, or with credentials of their own, are refused; redirects are failures. */
  readonly endpoint: string
  /** The protocol extensions it is part of, by identifier; declared by callers on every request. */
  readonly extensions: Readonly<Record<string, Readonly<Record<string, never>>>>
  readonly exchange: HttpExchange
  /**
   * The same as a `fetch`. A refused token that cannot be replaced is an ordinary 401 or 403; a body given as a stream is
   * sent once and never again.
   */
  readonly fetch: typeof globalThis.fetch
  /** Cuts what is under way and lets go of connections; a token being asked for is waited for. Idempotent. */
  close(): Promise<void>
}

const ownHeaders = ['authorization', 'proxy-authorization', 'dpop']

/** Refuses headers that are the transport's to write. Throws `CastellanError` (`ERR_CLIENT`). */
export function refuseCredentials(has: (name: string) => boolean): void {
  const name = ownHeaders.find(has)
  if (name === undefined) return
  throw new CastellanError('ERR_CLIENT', `A request over this transport cannot bring its own \`${name}\``)
}
