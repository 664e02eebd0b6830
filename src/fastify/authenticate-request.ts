import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../oauth/principal.js'
import { isRejection, type Guard } from '../resource-server/guard.js'
import type { Rejection } from '../resource-server/rejection.js'
import { refusal, type AuditEvent, type Auditor } from './audit.js'
import { guardedRequest } from './guarded-request.js'

/** How the requests of one place are let in. */
interface Checkpoint {
  readonly guard: Guard
  /** The absolute URL a client sent a request to, without query. */
  readonly target: (request: FastifyRequest) => string
  readonly audit: Auditor | undefined
  /** What a request is for, where that is known before its body. */
  readonly operation?: (request: FastifyRequest) => AuditEvent['operation']
}

/**
 * Asks a guard about a request and goes on with the principal; a request that is turned away is answered here. One
 * whose client has gone meanwhile is nobody's rejection.
 */
export function authenticateRequest(
  { guard, target, audit, operation }: Checkpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  enter: (principal: Principal) => void,
): void {
  const admit = (decision: Principal | Rejection) => {
    if (!isRejection(decision)) enter(decision)
    else if (reply.raw.destroyed) void reply.code(decision.status).send()
    else {
      audit?.(request, { ...refusal(decision), operation: operation?.(request) })
      void reject(reply, decision)
    }
  }
  const decision = guard.authenticate(guardedRequest(request, target(request)))
  if (decision instanceof Promise) decision.then(admit).catch((error: unknown) => void reply.send(error))
  else admit(decision)
}

/** Answers a rejection with an empty body and logs why, without anything of the token. */
export function reject(reply: FastifyReply, { status, headers, reason, detail }: Rejection): FastifyReply {
  if (status === 503) reply.log.warn({ reason, detail }, 'Request could not be verified')
  else reply.log.info({ reason }, 'Request rejected')
  return reply.code(status).headers(headers).send()
}
