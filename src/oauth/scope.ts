import { DefinitionError } from '../errors.js'

/**
 * The scopes an operation needs: a list means all of them, a list of lists means any one complete list.
 *
 * `[]` means any authenticated caller. Names are compared exactly.
 */
export type ScopeRule = readonly string[] | readonly (readonly string[])[]

/** A checked scope rule: never empty, in declared order; any one complete alternative suffices. */
export type ScopeAlternatives = readonly (readonly string[])[]

const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/
const notForResources = new Set(['offline_access', 'openid', 'profile'])

/** Whether a string is one `scope-token` (RFC 6749 §3.3). */
export function isScopeToken(value: unknown): value is string {
  return typeof value === 'string' && scopeToken.test(value)
}

/**
 * Splits a `scope` value on single spaces; `''` is no scopes, `undefined` means the value breaks the grammar.
 * RFC 6749 §3.3.
 */
export function parseScope(value: string): readonly string[] | undefined {
  if (value === '') return []
  const scopes = value.split(' ')
  return scopes.every(isScopeToken) ? scopes : undefined
}

/**
 * Checks a list of scopes a server asks for and returns a frozen copy.
 *
 * Throws `DefinitionError` (`ERR_OPTION`) for a name outside the grammar of RFC 6749 §3.3, a name given twice,
 * and for `offline_access`, `openid` and `profile`, which are between a client and its authorization server.
 */
export function requiredScopes(name: string, scopes: readonly string[]): readonly string[] {
  if (!isList(scopes)) refuse(name, 'must be a list of scopes')
  for (const scope of scopes) {
    if (!isScopeToken(scope))
      refuse(name, `holds ${JSON.stringify(scope)}, which is not a scope (RFC 6749 §3.3)`)
    if (notForResources.has(scope)) refuse(name, `holds ${scope}, which a resource must not ask for`)
  }
  if (new Set(scopes).size !== scopes.length) refuse(name, 'names a scope twice')
  return Object.freeze([...scopes])
}

/**
 * Checks a scope rule and returns its alternatives, frozen.
 *
 * `['a', 'b']` becomes `[['a', 'b']]`; `[]` becomes `[[]]`. Throws `DefinitionError` (`ERR_OPTION`) as
 * `requiredScopes` does, for a mixture of both shapes, and for an empty list among alternatives.
 */
export function scopeAlternatives(name: string, rule: ScopeRule): ScopeAlternatives {
  if (!isList(rule)) refuse(name, 'must be a list of scopes or a list of such lists')
  if (!isAlternatives(rule)) return Object.freeze([requiredScopes(name, rule)])
  return Object.freeze(
    rule.map((alternative) => {
      if (alternative.length === 0) refuse(name, 'has an empty alternative, which would let everyone in')
      return requiredScopes(name, alternative)
    }),
  )
}

/** Whether the held scopes contain every scope of at least one alternative. */
export function satisfies(held: readonly string[], rule: ScopeAlternatives): boolean {
  return rule.some((alternative) => alternative.every((scope) => held.includes(scope)))
}

function isList(value: unknown): boolean {
  return Array.isArray(value)
}

function isAlternatives(rule: ScopeRule): rule is readonly (readonly string[])[] {
  const lists = rule.filter(isList).length
  return lists > 0 && lists === rule.length
}

function refuse(name: string, problem: string): never {
  throw new DefinitionError(`\`${name}\` ${problem}`, 'ERR_OPTION')
}
