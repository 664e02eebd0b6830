import { CastellanError } from '../../errors.js'
import { ExchangeError, UnrunError, type HttpAnswer, type HttpExchange } from '../../network/http-exchange.js'
import type { Channel, ChannelRequest } from '../channel.js'
import { ConnectionLostError, InternalClientError, OutcomeUnknownError } from '../errors.js'
import { readLimits, type AnswerLimits } from './limits.js'
import type { Verdict } from './message.js'
import { outgoing } from './outgoing.js'
import { readVerdict } from './verdict.js'

/** What a channel over HTTP is made of. */
export interface HttpChannelOptions {
  /** Bound to the URL of the server; closed with the channel. */
  readonly exchange: HttpExchange
  readonly limits?: AnswerLimits
}

/**
 * A channel of one POST per request (MCP 2026-07-28, Streamable HTTP). When the server could not be reached at all, a
 * request rejects with a bare `ConnectionLostError`; what the exchange itself refuses to send rejects as it says.
 */
export function httpChannel({ exchange, limits }: HttpChannelOptions): Channel {
  const bounds = readLimits(limits)
  let closed = false
  async function ask(request: ChannelRequest): Promise<Verdict> {
    const answer = await send(exchange, request)
    try {
      return await readVerdict(answer, request, bounds)
    } catch (error) {
      throw new OutcomeUnknownError(closed ? closedInstead(error) : error)
    } finally {
      answer.cancel()
    }
  }
  return {
    async request(request) {
      if (closed) throw new InternalClientError('The channel is closed')
      const verdict = await ask(request)
      if ('refusal' in verdict) throw verdict.refusal
      return verdict.result
    },
    close() {
      closed = true
      return exchange.close()
    },
  }
}

async function send(exchange: HttpExchange, request: ChannelRequest): Promise<HttpAnswer> {
  const { signal } = request
  signal?.throwIfAborted()
  const { headers, body } = outgoing(request)
  try {
    return await exchange.send({ headers, body, signal })
  } catch (error) {
    if (error instanceof UnrunError) throw error.cause
    if (!(error instanceof ExchangeError)) throw new OutcomeUnknownError(error)
    const { sent, cause } = error
    if (sent) throw new OutcomeUnknownError(cause)
    if (signal?.aborted) throw signal.reason
    if (cause instanceof CastellanError) throw cause
    throw new ConnectionLostError('The server could not be reached; nothing was sent', { cause })
  }
}

/** A stream this side cut is not one the network interrupted. */
function closedInstead(error: unknown): unknown {
  return error instanceof ConnectionLostError ? new Error('The channel was closed', { cause: error }) : error
}
