import { DefinitionError } from '../errors.js'
import { isScopeToken } from './scope.js'

/** Which scopes a scope brings with it, for example `{ admin: ['read', 'write'] }`. Followed transitively. */
export type ImpliedScopes = Readonly<Record<string, readonly string[]>>

/**
 * Returns a function that adds to granted scopes all scopes they imply, each once, granted ones first.
 *
 * The transitive closure is computed here, once; cycles are harmless. Throws `DefinitionError` (`ERR_OPTION`)
 * for a name that is not a scope (RFC 6749 §3.3).
 */
export function scopeExpansion(
  name: string,
  implied: ImpliedScopes,
): (granted: Iterable<string>) => readonly string[] {
  const direct = new Map(Object.entries(implied))
  if (![...direct.values()].every((scopes: unknown) => Array.isArray(scopes)))
    throw new DefinitionError(`\`${name}\` must name lists of scopes`, 'ERR_OPTION')
  for (const scope of [...direct.keys(), ...[...direct.values()].flat()]) {
    if (!isScopeToken(scope)) {
      throw new DefinitionError(
        `\`${name}\` holds ${JSON.stringify(scope)}, which is not a scope`,
        'ERR_OPTION',
      )
    }
  }
  const closure = new Map([...direct.keys()].map((scope) => [scope, reachable(scope, direct)]))
  return (granted) => {
    const all = new Set(granted)
    for (const scope of [...all]) for (const more of closure.get(scope) ?? []) all.add(more)
    return Object.freeze([...all])
  }
}

function reachable(start: string, direct: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set(direct.get(start))
  for (const scope of found) for (const next of direct.get(scope) ?? []) found.add(next)
  return found
}
