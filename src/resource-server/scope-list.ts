import { isScopeToken, parseScope } from '../oauth/scope.js'

/** The scopes of a claim: a string split on single spaces, or a list; none when absent, undefined when unreadable. */
export function scopeList(value: unknown): readonly string[] | undefined {
  if (value === undefined) return []
  if (typeof value === 'string') return parseScope(value)
  return Array.isArray(value) && value.every(isScopeToken) ? value : undefined
}
