import type { FastifyReply, FastifyRequest } from 'fastify'
import { WireError } from '../errors.js'
import { isJsonContent } from '../protocol/media-type.js'
import type { Guard } from '../resource-server/guard.js'
import { authenticateRequest } from './authenticate-request.js'
import { answerError } from './error-answer.js'
import { isLocal } from './loopback.js'
import { originAllowed } from './origin.js'
import { principalKey } from './request-principal.js'

/** Who stands at the entrance. */
export interface Watch {
  readonly origins: ReadonlySet<string>
  /** Undefined on an open server. */
  readonly guard: Guard | undefined
  /** The absolute URL clients send requests to. */
  readonly target: string
  /** Whether an open server may be reached from other machines. */
  readonly exposed: boolean
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void

/** Turns pages of other origins away, and `OPTIONS` that is no preflight, before anything else looks at the request. */
export function originGate(origins: ReadonlySet<string>): Hook {
  return ({ raw }, reply, done) => {
    const { origin } = raw.headers
    if (!originAllowed(origin, origins)) void reply.code(403).type('text/plain').send('Forbidden')
    else if (raw.method === 'OPTIONS' && origin === undefined) methodNotAllowed(reply)
    else done()
  }
}

function methodNotAllowed(reply: FastifyReply): void {
  void reply.code(405).header('allow', 'POST').send()
}

/**
 * Decides who may come in, before the body is read: method, credentials, media type. A request that is answered here
 * never reaches the handler.
 */
export function entrance({ guard, target, exposed }: Watch): Hook {
  return (request, reply, done) => {
    const { raw } = request
    if (guard === undefined && !exposed && !isLocal(request)) {
      return void reply
        .code(403)
        .type('text/plain')
        .send('Forbidden: this server is open and answers loopback only')
    }
    if (raw.method !== 'POST') {
      methodNotAllowed(reply)
      return
    }
    const enter = () => {
      if (isJsonContent(raw.headers['content-type'])) done()
      else answerError(reply, new WireError('ERR_MEDIA_TYPE'))
    }
    if (guard === undefined) {
      enter()
      return
    }
    authenticateRequest(guard, request, reply, target, (principal) => {
      request[principalKey] = principal
      enter()
    })
  }
}
