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

/**
 * Writes one challenge as a header value: one line, each parameter at most once, printable ASCII only.
 *
 * Never throws: a scope outside the grammar is left out, and characters a parameter cannot hold are replaced.
 */
export function formatChallenge(challenge: BearerChallenge): string {
  const scope = (challenge.scope ?? []).filter(isScopeToken).join(' ')
  const parameters = [`resource_metadata=${quoted(challenge.resourceMetadata)}`]
  if (challenge.error !== undefined) parameters.push(`error=${quoted(challenge.error)}`)
  if (scope !== '') parameters.push(`scope=${quoted(scope)}`)
  if (challenge.description !== undefined) {
    parameters.push(`error_description=${quoted(challenge.description.replaceAll(/["\\]/g, "'"))}`)
  }
  return `Bearer ${parameters.join(', ')}`
}

function quoted(value: string): string {
  return `"${value.replaceAll(/[^\x20-\x7e]/gu, '?').replaceAll(/["\\]/g, '\\$&')}"`
}
