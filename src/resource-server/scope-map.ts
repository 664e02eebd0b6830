import { isScopeToken } from '../oauth/scope.js'
import { refuse } from './option-checks.js'

/** What granted scopes are called here, for example `{ 'api/notes.read': 'notes:read' }`. */
export type ScopeMap = Readonly<Record<string, string>>

/**
 * Returns a function that renames granted scopes; those without another name keep theirs. Throws `DefinitionError`
 * (`ERR_OPTION`) for a name that is not a scope (RFC 6749 §3.3).
 */
export function scopeRenaming(
  name: string,
  map: ScopeMap,
): (granted: readonly string[]) => readonly string[] {
  const names = new Map(Object.entries(map))
  for (const scope of [...names].flat()) {
    if (!isScopeToken(scope)) refuse(name, `holds ${JSON.stringify(scope)}, which is not a scope`)
  }
  return names.size === 0
    ? (granted) => granted
    : (granted) => granted.map((scope) => names.get(scope) ?? scope)
}
