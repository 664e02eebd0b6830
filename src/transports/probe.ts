import { ExchangeError, type HttpAnswer, type HttpExchange } from '../network/http-exchange.js'
import { joinSignals } from '../network/joined-signal.js'
import { modern } from '../protocol/2026-07-28/revision.js'
import { metaKey } from '../protocol/meta.js'
import { receivedChallenge, type ReceivedChallenge } from '../oauth/received-challenge.js'

/** What a resource says to a request without credentials. */
export interface ProbeAnswer {
  readonly status: number
  readonly challenge: ReceivedChallenge | undefined
}

const timeoutMilliseconds = 10_000

/**
 * Asks `server/discover` without credentials, to learn from the refusal where a token is to be had and for which scopes.
 *
 * Rejects with an `ExchangeError` that says nothing was sent, since the request this is for was not.
 */
export async function probe(exchange: HttpExchange, signal: AbortSignal): Promise<ProbeAnswer> {
  const bounded = joinSignals([signal], timeoutMilliseconds)
  const answer = await send(exchange, bounded.signal).finally(bounded.release)
  answer.cancel()
  const { status, wwwAuthenticate } = answer
  return { status, challenge: status === 401 ? receivedChallenge(wwwAuthenticate) : undefined }
}

async function send(exchange: HttpExchange, signal: AbortSignal): Promise<HttpAnswer> {
  const method = 'server/discover'
  const meta = { [metaKey.protocolVersion]: modern.version, [metaKey.clientCapabilities]: {} }
  const body = JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID(), method, params: { _meta: meta } })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': modern.version,
    'mcp-method': method,
  }
  try {
    return await exchange.send({ headers, body, signal })
  } catch (error) {
    throw error instanceof ExchangeError ? new ExchangeError(false, error.cause) : error
  }
}
