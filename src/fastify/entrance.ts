import type { FastifyReply, FastifyRequest } from 'fastify'
import { WireError } from '../errors.js'
import { isJsonContent } from '../protocol/media-type.js'
import type { Guard } from '../resource-server/guard.js'
import type { AuditReason, Auditor } from './audit.js'
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
  readonly audit: Auditor | undefined
  /** Whether an open server may be reached from other machines. */
  readonly exposed: boolean
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void

/** Turns pages of other origins away, and `OPTIONS` that is no preflight, before anything else looks at the request. */
export function originGate({ origins, audit }: Watch): Hook {
  return (request, reply, done) => {
    const { method, headers } = request.raw
    if (!originAllowed(headers.origin, origins)) forbidden(request, reply, 'origin', audit)
    else if (method === 'OPTIONS' && headers.origin === undefined) methodNotAllowed(request, reply, audit)
    else done()
  }
}

function forbidden(
  request: FastifyRequest,
  reply: FastifyReply,
  reason: AuditReason,
  audit: Auditor | undefined,
  text = 'Forbidden',
): void {
  audit?.(request, { outcome: 'refused', reason })
  void reply.code(403).type('text/plain').send(text)
}

function methodNotAllowed(request: FastifyRequest, reply: FastifyReply, audit: Auditor | undefined): void {
  audit?.(request, { outcome: 'refused', reason: 'method' })
  void reply.code(405).header('allow', 'POST').send()
}

const openServer = 'Forbidden: this server is open and answers loopback only'

/**
 * Decides who may come in, before the body is read: method, credentials, media type. A request that is answered here
 * never reaches the handler.
 */
export function entrance({ guard, target, exposed, audit }: Watch): Hook {
  const checkpoint = guard && { guard, target: () => target, audit }
  return (request, reply, done) => {
    const { raw } = request
    if (checkpoint === undefined && !exposed && !isLocal(request)) {
      forbidden(request, reply, 'not-local', audit, openServer)
      return
    }
    if (raw.method !== 'POST') {
      methodNotAllowed(request, reply, audit)
      return
    }
    const enter = () => {
      if (isJsonContent(raw.headers['content-type'])) done()
      else answerError(reply, new WireError('ERR_MEDIA_TYPE'))
    }
    if (checkpoint === undefined) {
      enter()
      return
    }
    authenticateRequest(checkpoint, request, reply, (principal) => {
      request[principalKey] = principal
      enter()
    })
  }
}
