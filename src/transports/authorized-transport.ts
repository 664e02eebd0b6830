import { CastellanError } from '../errors.js'
import type { HttpExchange } from '../network/http-exchange.js'
import { authorizedExchange } from './authorized-exchange.js'
import { authorizedFetch } from './authorized-fetch.js'
import type { Authorizer } from './authorizer.js'
import type { ClientTransport } from './client-transport.js'

/** What a transport is made of. */
interface TransportParts {
  readonly endpoint: string
  readonly authorizer: Authorizer
  /** The protocol extension it is part of. */
  readonly extension?: string
  /** Bound to the endpoint, without authorization. */
  readonly exchange: HttpExchange
  /** Lets go of what the authorizer used; called when nothing is under way any more. */
  readonly release: () => Promise<void>
}

/** Puts the two faces of a transport together. */
export function authorizedTransport(parts: TransportParts): ClientTransport {
  const { endpoint, authorizer, extension, exchange, release } = parts
  const closing = new AbortController()
  let closed: Promise<void> | undefined
  async function end(): Promise<void> {
    closing.abort(new CastellanError('ERR_CLIENT', 'The transport is closed'))
    try {
      await exchange.close()
    } finally {
      await authorizer.close().finally(release)
    }
  }
  const close = () => (closed ??= end())
  return Object.freeze({
    endpoint,
    extensions: Object.freeze(extension === undefined ? {} : { [extension]: Object.freeze({}) }),
    exchange: authorizedExchange(exchange, authorizer, close),
    fetch: authorizedFetch(endpoint, authorizer, closing.signal),
    close,
  })
}
