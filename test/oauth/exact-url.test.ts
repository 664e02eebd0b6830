import { describe, expect, it } from 'vitest'
import { exactIssuer, exactResource } from '../../src/oauth/exact-url.js'

const kept = [
  'https://h.example',
  'https://h.example/',
  'https://h.example/mcp',
  'https://h.example/mcp/',
  'https://h.example:8443/v1/mcp',
  'https://h.example/caf%c3%a9',
  'https://[2001:db8::1]/mcp',
]

const refused = [
  ['http', 'http://h.example/mcp'],
  ['http on a name that only starts like loopback', 'http://127.0.0.1.evil.example/'],
  ['http on localhost without the option', 'http://localhost:3000'],
  ['another scheme', 'ftp://h.example/'],
  ['no scheme', 'h.example/mcp'],
  ['a relative reference', '/mcp'],
  ['nothing', ''],
  ['a fragment', 'https://h.example/mcp#a'],
  ['an empty fragment', 'https://h.example/mcp#'],
  ['a user', 'https://user@h.example/'],
  ['a password', 'https://:secret@h.example/'],
  ['an empty user', 'https://@h.example/'],
  ['a tab', 'https://h.example/\tmcp'],
  ['a line break', 'https://h.example/mcp\n'],
  ['a space in front', ' https://h.example/mcp'],
  ['an upper-case host', 'https://H.example/mcp'],
  ['the default port', 'https://h.example:443/mcp'],
  ['a dot segment', 'https://h.example/a/../mcp'],
  ['a backslash', 'https://h.example\\mcp'],
  ['a raw letter outside ASCII', 'https://h.example/café'],
] as const

const loopback = [
  'http://localhost:3000',
  'http://127.0.0.1:8080/',
  'http://127.8.9.10:1/mcp',
  'http://[::1]:3000/mcp',
]

describe('A2 A3 A4 identifiers', () => {
  it.each(kept)('keeps %s byte for byte', (value) => {
    expect(exactIssuer('issuer', value)).toBe(value)
    expect(exactResource('resource', value)).toBe(value)
  })

  it.each(refused)('refuses %s', (_, value) => {
    const refusal = expect.objectContaining({ code: 'ERR_OPTION', message: expect.stringContaining('`it`') })
    expect(() => exactIssuer('it', value)).toThrow(refusal)
    expect(() => exactResource('it', value)).toThrow(refusal)
  })

  it('A2 allows a query in a resource only', () => {
    expect(exactResource('resource', 'https://h.example/mcp?t=1')).toBe('https://h.example/mcp?t=1')
    expect(() => exactIssuer('issuer', 'https://h.example/mcp?t=1')).toThrow('query')
    expect(() => exactIssuer('issuer', 'https://h.example/mcp?')).toThrow('query')
  })

  it.each(loopback)('A2 takes %s with allowLoopbackHttp only', (value) => {
    expect(exactResource('resource', value, { allowLoopbackHttp: true })).toBe(value)
    expect(() => exactResource('resource', value)).toThrow('https')
  })

  it.each([
    'http://h.example',
    'http://128.0.0.1/',
    'http://localhost.evil.example/',
    'http://10.0.0.1/',
    'http://[::2]/',
  ])('A2 refuses %s even with allowLoopbackHttp', (value) => {
    expect(() => exactResource('resource', value, { allowLoopbackHttp: true })).toThrow('https')
  })

  it('refuses what is not a string', () => {
    expect(() => exactIssuer('issuer', undefined as unknown as string)).toThrow('absolute URL')
    expect(() => exactIssuer('issuer', new URL('https://h.example/') as unknown as string)).toThrow(
      'absolute URL',
    )
  })
})
