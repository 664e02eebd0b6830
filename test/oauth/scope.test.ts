import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scopeExpansion } from '../../src/oauth/implied-scopes.js'
import {
  isScopeToken,
  parseScope,
  requiredScopes,
  satisfies,
  scopeAlternatives,
} from '../../src/oauth/scope.js'

const token = fc
  .string({ unit: fc.constantFrom(...Array.from('abcXYZ019:./-_!#[]^~|')), minLength: 1, maxLength: 8 })
  .filter((name) => !['openid', 'profile', 'offline_access'].includes(name))
const tokens = fc.uniqueArray(token, { minLength: 1, maxLength: 5 })

describe('A33 scope grammar', () => {
  it('allows exactly %x21 / %x23-5B / %x5D-7E', () => {
    for (let code = 0; code <= 0x180; code += 1) {
      const legal = code === 0x21 || (code >= 0x23 && code <= 0x5b) || (code >= 0x5d && code <= 0x7e)
      expect(isScopeToken(String.fromCharCode(code)), `U+${code.toString(16)}`).toBe(legal)
    }
    expect(isScopeToken('')).toBe(false)
    expect(isScopeToken('a\n')).toBe(false)
  })

  it.each([
    ['a b c', ['a', 'b', 'c']],
    ['a', ['a']],
    ['', []],
    ['a  b', undefined],
    [' a', undefined],
    ['a ', undefined],
    ['a\tb', undefined],
    ['a "b"', undefined],
    [' ', undefined],
  ])('A96 reads %j as %j', (value, scopes) => {
    expect(parseScope(value)).toEqual(scopes)
  })
})

describe('A95 scope rules', () => {
  it.each([
    [['a', 'b'], [['a', 'b']]],
    [
      [['a', 'b'], ['admin']],
      [['a', 'b'], ['admin']],
    ],
    [[], [[]]],
  ])('reads %j as %j', (rule, alternatives) => {
    expect(scopeAlternatives('scopes', rule)).toEqual(alternatives)
  })

  it.each([
    ['a name outside the grammar', ['a b']],
    ['a quote', ['a"']],
    ['a line break', [['a\r\nb']]],
    ['a name twice', ['a', 'a']],
    ['a mixture of both shapes', ['a', ['b']]],
    ['an empty alternative', [['a'], []]],
    ['only an empty alternative', [[]]],
    ['a string', 'a'],
    ['a number', [1]],
    ['offline_access (A32)', ['a', 'offline_access']],
    ['openid (A32)', [['openid']]],
    ['profile (A32)', ['profile']],
  ])('refuses %s at boot', (_, rule) => {
    expect(() => scopeAlternatives('tools.x.scopes', rule as string[])).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION', message: expect.stringContaining('tools.x.scopes') }),
    )
  })

  it('is satisfied by exactly the supersets of one complete alternative', () => {
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 4 }), fc.array(token), (rule, held) => {
        const expected = rule.some((needed) => needed.filter((scope) => !held.includes(scope)).length === 0)
        expect(satisfies(held, scopeAlternatives('rule', rule))).toBe(expected)
      }),
    )
  })

  it.each([
    [['notes'], ['notes:read']],
    [['notes:*'], ['notes:read']],
    [['NOTES:READ'], ['notes:read']],
    [['a'], ['a', 'b']],
    [[], ['a']],
  ])('B086 %j does not satisfy %j: no prefix, wildcard, case folding or part', (held, rule) => {
    expect(satisfies(held, scopeAlternatives('rule', rule))).toBe(false)
  })

  it('lets any authenticated caller pass an empty rule', () => {
    expect(satisfies([], scopeAlternatives('rule', []))).toBe(true)
  })

  it('A100 freezes what it returns and keeps no reference to what it was given', () => {
    const given = [['a']]
    const rule = scopeAlternatives('rule', given)
    given[0]?.push('b')
    expect(rule).toEqual([['a']])
    expect(Object.isFrozen(rule) && Object.isFrozen(rule[0])).toBe(true)
    expect(Object.isFrozen(requiredScopes('basic', ['a']))).toBe(true)
  })
})

describe('A95 implied scopes', () => {
  it('follows them transitively and survives cycles', () => {
    const expand = scopeExpansion('impliedScopes', {
      owner: ['admin'],
      admin: ['write', 'owner'],
      write: ['read'],
    })
    expect(expand(['x', 'owner'])).toEqual(['x', 'owner', 'admin', 'write', 'read'])
    expect(expand(['read'])).toEqual(['read'])
    expect(expand(['write', 'write'])).toEqual(['write', 'read'])
  })

  it('gives the least fixed point of the relation', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const relation = fc.dictionary(names, fc.array(names, { maxLength: 3 }))
    fc.assert(
      fc.property(relation, fc.array(names), (implied, granted) => {
        const expected = new Set(granted)
        for (let round = 0; round < 5; round += 1) {
          for (const scope of [...expected]) for (const more of implied[scope] ?? []) expected.add(more)
        }
        expect(new Set(scopeExpansion('implied', implied)(granted))).toEqual(expected)
      }),
    )
  })

  it.each([{ 'a b': ['c'] }, { a: ['c"'] }, { a: [''] }])('refuses %j at boot', (implied) => {
    expect(() => scopeExpansion('impliedScopes', implied)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION' }),
    )
  })
})
