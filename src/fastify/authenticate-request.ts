import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../oauth/principal.js'
import { isRejection, type Guard } from '../resource-server/guard.js'
import type { Rejection } from '../resource-server/rejection.js'
import { guardedRequest } from './guarded-request.js'

/**
 * Asks a guard about a request that clients send to `target`, and goes on with the principal; a request that is
 * turned away is answered here.
 */
export function authenticateRequest(
  guard: Guard,
  request: FastifyRequest,
  reply: FastifyReply,
  target: string,
  enter: (principal: Principal) => void,
): void {
  const admit = (decision: Principal | Rejection) => {
    if (isRejection(decision)) void reject(reply, decision)
    else enter(decision)
  }
  const decision = guard.authenticate(guardedRequest(request, target))
  if (decision instanceof Promise) decision.then(admit).catch((error: unknown) => void reply.send(error))
  else admit(decision)
}

/** Answers a rejection with an empty body and logs why, without anything of the token. */
export function reject(reply: FastifyReply, { status, headers, reason, detail }: Rejection): FastifyReply {
  if (status === 503) reply.log.warn({ reason, detail }, 'Request could not be verified')
  else reply.log.info({ reason }, 'Request rejected')
  return reply.code(status).headers(headers).send()
}
