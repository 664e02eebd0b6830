import { CastellanError } from '../../errors.js'
import type { HttpAnswer, HttpExchange } from '../../network/http-exchange.js'
import { joinSignals } from '../../network/joined-signal.js'

/** The same exchange for one of several owners: closing it cuts what that owner has under way, and nothing else. */
export function sharedExchange(exchange: HttpExchange): HttpExchange {
  const closing = new AbortController()
  return {
    async send(post) {
      const { signal, release } = joinSignals([post.signal, closing.signal])
      try {
        return releasing(await exchange.send({ ...post, signal }), release)
      } catch (error) {
        release()
        throw error
      }
    },
    close() {
      closing.abort(new CastellanError('ERR_CLIENT', 'The transport is closed'))
      return Promise.resolve()
    },
  }
}

/** An answer that tells when its body was read or let go of. */
function releasing(answer: HttpAnswer, release: () => void): HttpAnswer {
  return {
    status: answer.status,
    header: (name) => answer.header(name),
    get wwwAuthenticate() {
      return answer.wwwAuthenticate
    },
    body: released(answer.body, release),
    cancel() {
      release()
      answer.cancel()
    },
  }
}

async function* released(body: HttpAnswer['body'], release: () => void): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body
  } finally {
    release()
  }
}
