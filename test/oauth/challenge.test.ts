import { validateHeaderValue } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatChallenge, formatDpopChallenge } from '../../src/oauth/challenge.js'
import { parseScope } from '../../src/oauth/scope.js'

const url = 'https://h.example/.well-known/oauth-protected-resource/mcp'

/** A parser by the grammar of RFC 9110 §11, written independently of the builder. */
function parse(challenge: string): { scheme: string; parameters: [string, string][] } {
  const scheme = /^[A-Za-z]+(?= )/.exec(challenge)?.[0] ?? ''
  let rest = challenge.slice(scheme.length + 1)
  const parameters: [string, string][] = []
  while (rest !== '') {
    const match = /^([a-z_]+)="((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*)"(?:, |$)/.exec(rest)
    if (match === null) throw new Error(`not a challenge: ${challenge}`)
    parameters.push([match[1]!, match[2]!.replaceAll(/\\(.)/g, '$1')])
    rest = rest.slice(match[0].length)
  }
  return { scheme, parameters }
}

describe('challenges', () => {
  it('A30 writes exactly this shape', () => {
    expect(formatChallenge({ resourceMetadata: url, error: 'insufficient_scope', scope: ['a', 'b'] })).toBe(
      `Bearer resource_metadata="${url}", error="insufficient_scope", scope="a b"`,
    )
  })

  it('A15 B075 without credentials there is no error, and no empty scope', () => {
    expect(formatChallenge({ resourceMetadata: url, scope: [] })).toBe(`Bearer resource_metadata="${url}"`)
    expect(formatChallenge({ resourceMetadata: url, scope: ['a'] })).toBe(
      `Bearer resource_metadata="${url}", scope="a"`,
    )
  })

  it('A30 A35 a DPoP challenge names its algorithms and everything else once', () => {
    const asked = { resourceMetadata: url, algorithms: ['ES256', 'EdDSA'], scope: ['a', 'b'] }
    expect(formatDpopChallenge({ ...asked, error: 'use_dpop_nonce' })).toBe(
      `DPoP algs="ES256 EdDSA", resource_metadata="${url}", error="use_dpop_nonce", scope="a b"`,
    )
    expect(parse(formatDpopChallenge({ ...asked, algorithms: ['a"\r\n'], description: 'é' }))).toEqual({
      scheme: 'DPoP',
      parameters: [
        ['algs', 'a"??'],
        ['resource_metadata', url],
        ['scope', 'a b'],
        ['error_description', '?'],
      ],
    })
  })

  it.each([
    ['a double quote', 'say "no"'],
    ['a backslash', 'a\\'],
    ['line breaks', 'a\r\nset-cookie: x=1'],
    ['an emoji', 'no 🚫 entry'],
    ['a lone surrogate', '\ud800'],
    ['an injected parameter', '", error="none", scope="admin'],
  ])('B080 A33 G22 survives %s in a description', (_, description) => {
    const challenge = formatChallenge({ resourceMetadata: url, error: 'invalid_token', description })
    expect(() => validateHeaderValue('www-authenticate', challenge)).not.toThrow()
    const { parameters } = parse(challenge)
    expect(parameters.map(([name]) => name)).toEqual(['resource_metadata', 'error', 'error_description'])
    expect(parameters[2]?.[1]).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/)
  })

  it('A33 leaves out a scope outside the grammar', () => {
    const challenge = formatChallenge({ resourceMetadata: url, scope: ['a', 'b"', 'c\n', 'ü', 'd'] })
    expect(challenge).toBe(`Bearer resource_metadata="${url}", scope="a d"`)
  })

  it('A33 A35 is always one well-formed header value with each parameter once, whatever goes in', () => {
    const text = fc.string({ unit: 'binary' })
    const error = fc.constantFrom('invalid_request', 'invalid_token', 'insufficient_scope')
    fc.assert(
      fc.property(
        fc.record(
          { resourceMetadata: text, error, scope: fc.array(text), description: text },
          { requiredKeys: ['resourceMetadata'] },
        ),
        (challenge) => {
          const written = formatChallenge(challenge)
          validateHeaderValue('www-authenticate', written)
          const { scheme, parameters } = parse(written)
          const names = parameters.map(([name]) => name)
          expect(scheme).toBe('Bearer')
          expect(new Set(names).size).toBe(names.length)
          expect(new Map(parameters).get('error')).toBe(challenge.error)
          const scope = new Map(parameters).get('scope')
          if (scope !== undefined) expect(parseScope(scope)).toBeDefined()
        },
      ),
    )
  })

  it('gives back a printable metadata URL unchanged', () => {
    const printable = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    })
    fc.assert(
      fc.property(printable, (resourceMetadata) => {
        expect(parse(formatChallenge({ resourceMetadata })).parameters).toEqual([
          ['resource_metadata', resourceMetadata],
        ])
      }),
    )
  })
})
