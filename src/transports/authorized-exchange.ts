import { UnrunError, type HttpAnswer, type HttpExchange, type HttpPost } from '../network/http-exchange.js'
import type { Authorizer } from './authorizer.js'
import { refuseCredentials } from './client-transport.js'
import { sendAuthorized } from './send-authorized.js'

/**
 * An exchange that adds authorization to another. A refusal that stays is told as `InvalidTokenError` or
 * `InsufficientScopeError`, in an `UnrunError` as everything that keeps a request from running.
 */
export function authorizedExchange(
  exchange: HttpExchange,
  authorizer: Authorizer,
  close: () => Promise<void>,
): HttpExchange {
  async function send(post: HttpPost): Promise<HttpAnswer> {
    try {
      refuseCredentials((name) => Object.hasOwn(post.headers, name))
    } catch (error) {
      throw new UnrunError(error)
    }
    const { answer, refusal } = await sendAuthorized(authorizer, {
      send: (headers) => exchange.send({ ...post, headers: { ...post.headers, ...headers } }),
      method: 'POST',
      repeatable: true,
      signal: post.signal,
    })
    if (refusal === undefined) return answer
    answer.cancel()
    throw new UnrunError(refusal)
  }
  return { send, close }
}
