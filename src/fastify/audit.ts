import type { FastifyRequest } from 'fastify'
import { DefinitionError } from '../errors.js'
import type { Principal } from '../oauth/principal.js'
import type { Rejection, RejectionReason } from '../resource-server/rejection.js'

/** Why somebody was not let in: what the guard says, or what is decided before it is asked. */
export type AuditReason = RejectionReason | 'origin' | 'method' | 'not-local'

/** One decision about a request. Holds no token, no argument and nothing of a query. */
export interface AuditEvent {
  /** Milliseconds since the epoch. */
  readonly time: number
  /** `undecided`: nobody could tell, and the request was turned away. */
  readonly outcome: 'allowed' | 'refused' | 'undecided'
  /** Absent where `outcome` is `allowed`. */
  readonly reason?: AuditReason
  /**
   * What was asked for: a method of the protocol with the declared name of the tool, resource or prompt, or a route as
   * declared, such as `GET /notes/:id`. Absent where the request was turned away before anybody looked.
   */
  readonly operation?: { readonly method: string; readonly name?: string } | { readonly route: string }
  /** Absent until somebody was verified. */
  readonly principal?: Pick<Principal, 'issuer' | 'subject' | 'clientId'>
  /** The host's id of the request. */
  readonly requestId: string
}

/** Hears of every decision. Nothing waits for it, and its failures change no answer; the first one is logged. */
export type Audit = (event: AuditEvent) => void | Promise<void>

/** Tells of one decision. Never throws. */
export type Auditor = (request: FastifyRequest, decision: Decision) => void

type Decision = Pick<AuditEvent, 'outcome' | 'reason'> & {
  readonly operation?: AuditEvent['operation'] | undefined
  readonly principal?: Principal | undefined
}

/** What a rejection is to an audit. */
export function refusal({ status, reason }: Rejection): Decision {
  return { outcome: status === 503 ? 'undecided' : 'refused', reason }
}

/** Makes events of decisions. Throws `ERR_OPTION` for what is no function. */
export function auditor(audit: Audit | undefined): Auditor | undefined {
  if (audit === undefined) return undefined
  if (typeof audit !== 'function') throw new DefinitionError('`audit` must be a function', 'ERR_OPTION')
  let hasFailed = false
  return (request, decision) => {
    const failed = (error: unknown) => {
      if (hasFailed) return
      hasFailed = true
      request.log.error({ err: error }, 'The audit function failed; further failures are not logged')
    }
    try {
      Promise.resolve(audit(auditEvent(request, decision))).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

function auditEvent({ id }: FastifyRequest, { principal, operation, ...decision }: Decision): AuditEvent {
  return Object.freeze({
    time: Date.now(),
    ...decision,
    ...(operation && { operation: Object.freeze(operation) }),
    ...(principal && { principal: identity(principal) }),
    requestId: id,
  })
}

function identity({ issuer, subject, clientId }: Principal): NonNullable<AuditEvent['principal']> {
  return Object.freeze({ issuer, subject, ...(clientId === undefined ? {} : { clientId }) })
}
