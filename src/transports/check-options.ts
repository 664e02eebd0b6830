import { DefinitionError } from '../errors.js'
import type { Registration } from '../oauth/registration/registration.js'
import { isScopeToken } from '../oauth/scope.js'
import type { AuthorizationStore } from '../store/authorization-store.js'

/** Throws `DefinitionError` (`ERR_OPTION`) unless it is a registration, several of them, or a function. */
export function checkRegistrations(registration: unknown): void {
  if (typeof registration === 'function') return
  const all = [registration].flat() as (Partial<Registration> | null | undefined)[]
  if (all.length > 0 && all.every((each) => typeof each?.authenticate === 'function')) return
  throw new DefinitionError('`registration` must be a registration, several or a function', 'ERR_OPTION')
}

/** Throws `DefinitionError` (`ERR_OPTION`) unless it is a function. */
export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw new DefinitionError(`\`${name}\` must be a function`, 'ERR_OPTION')
}

/** Throws `DefinitionError` (`ERR_OPTION`) unless it is a store. */
export function checkStore(store: unknown): void {
  if (typeof (store as Partial<AuthorizationStore> | null | undefined)?.withCredentials === 'function') return
  throw new DefinitionError('`store` must be an AuthorizationStore', 'ERR_OPTION')
}

/** Throws `DefinitionError` (`ERR_OPTION`) unless it is a list of scopes (RFC 6749 §3.3), or left out. */
export function checkScopes(scopes: unknown): void {
  if (scopes === undefined || (Array.isArray(scopes) && scopes.every(isScopeToken))) return
  throw new DefinitionError('`scopes` must be a list of scopes', 'ERR_OPTION')
}
