import { CastellanError } from '../../errors.js'
import type { HttpExchange } from '../../network/http-exchange.js'

/** The same exchange for one of several owners: closing it cuts what that owner has under way, and nothing else. */
export function sharedExchange(exchange: HttpExchange): HttpExchange {
  const closing = new AbortController()
  return {
    send(post) {
      const signal =
        post.signal === undefined ? closing.signal : AbortSignal.any([post.signal, closing.signal])
      return exchange.send({ ...post, signal })
    },
    close() {
      closing.abort(new CastellanError('ERR_CLIENT', 'The transport is closed'))
      return Promise.resolve()
    },
  }
}
