import type { Scheme } from '../oauth/credentials.js'
import type { Principal } from '../oauth/principal.js'
import { rememberToken } from './caller-token.js'
import type { Challenges } from './challenges.js'
import { checkHolder, type PresentedToken, type PresentingRequest } from './possession/holder.js'
import type { HolderVerdict, Possession } from './possession/possession.js'
import { challengeRejection, undecidedRejection, type Rejection } from './rejection.js'
import type { RefusalReason, Verification } from './resource-server.js'

type Decision = Principal | Rejection

/** What is said when a resource server, or what it is given, throws. */
export const verifierFailed = undecidedRejection('the resource server failed', undefined)

/** Turns what is known of a presented token into a decision. */
export interface Judgement {
  readonly refuse: (reason: RefusalReason, scheme: Scheme) => Rejection
  /** At once unless a DPoP proof must be checked. Never rejects, throws what a certificate source throws. */
  readonly judge: (
    verification: Verification,
    presented: PresentedToken,
    request: PresentingRequest,
  ) => Decision | Promise<Decision>
}

/**
 * A token that is not good stays `invalid_token` whatever proof comes with it: proofs are looked at for good tokens
 * only. A token bound to no key is not taken with the DPoP scheme (RFC 9449 §7.1).
 */
export function judgement(
  challenges: Challenges,
  possession: Possession,
  scope: readonly string[],
): Judgement {
  function refuse(reason: RefusalReason, scheme: Scheme): Rejection {
    return challengeRejection(401, reason, challenges.refuse(scheme, { error: 'invalid_token', scope }))
  }

  function conclude(
    verdict: HolderVerdict,
    principal: Principal,
    { scheme, token }: PresentedToken,
  ): Decision {
    if (verdict.outcome === 'proven') return rememberToken(principal, token)
    if (verdict.outcome === 'unproven') return refuse('proof', scheme)
    if (verdict.outcome === 'undecided') return undecidedRejection(verdict.reason, undefined)
    if (verdict.outcome === 'invalid-proof') {
      const challenge = challenges.refuseProof({ error: 'invalid_dpop_proof', scope })
      return challengeRejection(401, verdict.defect, challenge)
    }
    const challenge = challenges.refuseProof({ error: 'use_dpop_nonce', scope })
    return challengeRejection(401, 'proof-nonce', challenge, verdict.nonce)
  }

  function judge(
    verification: Verification,
    presented: PresentedToken,
    request: PresentingRequest,
  ): Decision | Promise<Decision> {
    const { scheme, token } = presented
    if (verification.outcome === 'refused') return refuse(verification.reason, scheme)
    if (verification.outcome === 'undecided') {
      return undecidedRejection(verification.reason, verification.retryAfterSeconds)
    }
    const { principal } = verification
    if (verification.outcome === 'accepted')
      return scheme === 'Bearer' ? rememberToken(principal, token) : refuse('proof', scheme)
    const verdict = checkHolder(possession, verification.confirmation, presented, request)
    return verdict instanceof Promise
      ? verdict.then((settled) => conclude(settled, principal, presented)).catch(() => verifierFailed)
      : conclude(verdict, principal, presented)
  }

  return { refuse, judge }
}
