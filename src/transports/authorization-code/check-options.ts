import { DefinitionError } from '../../errors.js'
import type { Registration } from '../../oauth/registration/registration.js'

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
