import type { AuthorizationServer } from 'oauth4webapi'
import type { IssuerQuirks } from '../../oauth/registration/quirks.js'
import { InsufficientScopeError } from '../errors.js'

/** A resource that is never content would have requests grow without end. */
const mostScopes = 128

/** What is known when scopes are to be chosen. */
export interface ScopeSources {
  /** Of the challenge. */
  readonly challenged?: readonly string[] | undefined
  /** Of the metadata of the resource. */
  readonly scopesSupported?: readonly string[] | undefined
  /** Asked for earlier for the same grant. */
  readonly requested?: readonly string[] | undefined
  readonly quirks: IssuerQuirks
  readonly server: Pick<AuthorizationServer, 'scopes_supported'>
}

/**
 * The scopes to ask for, each once: those asked for earlier, then those of the challenge, else all that the resource
 * supports; empty means to name none. The operator's `scopeOverride` comes before all of them.
 *
 * `offline_access` is only ever added by `offlineAccess`, and only where the authorization server lists it. Throws
 * `InsufficientScopeError` when the challenge asks for more than `scopeCeiling`, or makes it more than 128. MCP 2026-07-28 "Scope Selection Strategy".
 */
export function requestedScopes(sources: ScopeSources): readonly string[] {
  const { challenged, scopesSupported = [], requested = [], quirks, server } = sources
  const { scopeOverride, scopeCeiling, offlineAccess } = quirks
  if (scopeOverride !== undefined) return [...new Set(scopeOverride)]
  const isAllowed = (scope: string) => scopeCeiling === undefined || scopeCeiling.includes(scope)
  if (challenged?.every(isAllowed) === false) throw new InsufficientScopeError(challenged)
  const wanted = challenged ?? scopesSupported.filter((scope) => isAllowed(scope) && isOffered(scope, server))
  const scopes = new Set([...requested, ...wanted])
  if (challenged !== undefined && scopes.size > mostScopes) throw new InsufficientScopeError(challenged)
  const isOffline = offlineAccess === true && server.scopes_supported?.includes('offline_access') === true
  scopes.delete('offline_access')
  return isOffline ? [...scopes, 'offline_access'] : [...scopes]
}

/** `openid` is between a client and its authorization server, whatever a resource lists. */
function isOffered(scope: string, { scopes_supported: offered }: ScopeSources['server']): boolean {
  return scope !== 'openid' || offered === undefined || offered.includes('openid')
}
