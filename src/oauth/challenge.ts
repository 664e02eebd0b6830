import { isScopeToken } from './scope.js'

/** What a `WWW-Authenticate: Bearer` challenge says (RFC 6750 §3, RFC 9728 §5.1). */
export interface BearerChallenge {
  /** Absolute URL of the protected resource metadata. */
  readonly resourceMetadata: string
  /** Absent when the request carried no credentials. */
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  /** Everything the operation needs, in declared order; omitted when empty. */
  readonly scope?: readonly string[]
  readonly description?: string
}

/** What a `WWW-Authenticate: DPoP` challenge says (RFC 9449 §7.1). */
export interface DpopChallenge extends Omit<BearerChallenge, 'error'> {
  readonly error?: BearerChallenge['error'] | 'invalid_dpop_proof' | 'use_dpop_nonce'
  /** Signature algorithms that proofs may have, in order of preference. */
  readonly algorithms: readonly string[]
}

/**
 * Writes one challenge as a header value: one line, each parameter at most once, printable ASCII only.
 *
 * Never throws: a scope outside the grammar is left out, and characters a parameter cannot hold are replaced.
 */
export function formatChallenge(challenge: BearerChallenge): string {
  return `Bearer ${parameters(challenge).join(', ')}`
}

/** The same for the DPoP scheme, which names its algorithms. */
export function formatDpopChallenge(challenge: DpopChallenge): string {
  return `DPoP ${[`algs=${quoted(challenge.algorithms.join(' '))}`, ...parameters(challenge)].join(', ')}`
}

function parameters(challenge: BearerChallenge | DpopChallenge): string[] {
  const scope = (challenge.scope ?? []).filter(isScopeToken).join(' ')
  const written = [`resource_metadata=${quoted(challenge.resourceMetadata)}`]
  if (challenge.error !== undefined) written.push(`error=${quoted(challenge.error)}`)
  if (scope !== '') written.push(`scope=${quoted(scope)}`)
  if (challenge.description !== undefined) {
    written.push(`error_description=${quoted(challenge.description.replaceAll(/["\\]/g, "'"))}`)
  }
  return written
}

function quoted(value: string): string {
  return `"${value.replaceAll(/[^\x20-\x7e]/gu, '?').replaceAll(/["\\]/g, '\\$&')}"`
}
