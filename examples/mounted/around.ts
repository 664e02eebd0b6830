import { ToolError } from 'castellan'
import type { Around } from 'castellan/fastify'
import type { Ledger } from './ledger.js'

export interface AuditEntry {
  readonly subject: string
  readonly organization: string
  readonly tool: string
  readonly outcome: 'done' | 'failed'
}

/** Writes down who did what; it stands outermost, so it sees the refusals of what is inside. */
export function audited(entries: AuditEntry[]): Around {
  return async ({ name, context }, next) => {
    const subject = context.principal?.subject ?? ''
    const entry = { subject, organization: context.route['organization'] ?? '', tool: name }
    try {
      const returned = await next()
      entries.push({ ...entry, outcome: 'done' })
      return returned
    } catch (error) {
      entries.push({ ...entry, outcome: 'failed' })
      throw error
    }
  }
}

/** A token says who is asking and what for; which organization they belong to is the app's to know. */
export function membersOnly(ledger: Ledger): Around {
  return ({ context: { principal, route } }, next) => {
    const organization = route['organization'] ?? ''
    if (principal !== undefined && ledger.isMember(organization, principal.subject)) return next()
    throw new ToolError(`You are not a member of ${organization}`)
  }
}
