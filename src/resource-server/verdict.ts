import type { Principal } from '../oauth/principal.js'
import type { Confirmation, RefusalReason, Verification } from './resource-server.js'

/** A good token: accepted as it is, or bound to the key that its holder must prove to have. */
export function granted(principal: Principal, confirmation: Confirmation | undefined): Verification {
  return Object.freeze(
    confirmation === undefined
      ? { outcome: 'accepted', principal }
      : { outcome: 'bound', principal, confirmation },
  )
}

export function refused(reason: RefusalReason): Extract<Verification, { outcome: 'refused' }> {
  return Object.freeze({ outcome: 'refused', reason })
}

/** Nobody can tell now; `reason` names no host and no token. */
export function undecided(reason: string, retryAfterSeconds?: number): Verification {
  return Object.freeze({
    outcome: 'undecided',
    reason,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
