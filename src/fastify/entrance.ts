import type { FastifyReply, FastifyRequest } from 'fastify'
import { WireError } from '../errors.js'
import type { Principal } from '../oauth/principal.js'
import { isJsonContent } from '../protocol/media-type.js'
import { isRejection, type Guard } from '../resource-server/guard.js'
import type { Rejection } from '../resource-server/rejection.js'
import { answerError } from './error-answer.js'
import { guardedRequest } from './guarded-request.js'
import { isLocal } from './loopback.js'
import { originAllowed } from './origin.js'

/** Under this key a request holds the principal its token was verified for. */
export const principalKey = Symbol('castellan.principal')

declare module 'fastify' {
  interface FastifyRequest {
    [principalKey]: Principal | undefined
  }
}

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
    const admit = (decision: Principal | Rejection) => {
      if (isRejection(decision)) return void reject(reply, decision)
      request[principalKey] = decision
      enter()
    }
    const decision = guard.authenticate(guardedRequest(request, target))
    if (decision instanceof Promise) decision.then(admit).catch((error: unknown) => void reply.send(error))
    else admit(decision)
  }
}

/** Answers a rejection with an empty body and logs why, without anything of the token. */
export function reject(reply: FastifyReply, { status, headers, reason, detail }: Rejection): FastifyReply {
  if (status === 503) reply.log.warn({ reason, detail }, 'MCP request could not be verified')
  else reply.log.info({ reason }, 'MCP request rejected')
  return reply.code(status).headers(headers).send()
}
