import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasQueryToken, maxTokenLength, readCredentials } from '../../src/oauth/credentials.js'

const tokenCharacter = fc.constantFrom(...Array.from('ABCabc019-._~+/'))
const token = fc
  .tuple(fc.string({ unit: tokenCharacter, minLength: 1, maxLength: 40 }), fc.integer({ min: 0, max: 3 }))
  .map(([text, padding]) => text + '='.repeat(padding))

describe('credentials', () => {
  it('A23 B076 takes any letter case and any number of spaces', () => {
    const scheme = fc.constantFrom('Bearer', 'bearer', 'BEARER', 'bEaReR')
    fc.assert(
      fc.property(scheme, fc.integer({ min: 1, max: 9 }), token, (name, spaces, value) => {
        expect(readCredentials([name + ' '.repeat(spaces) + value])).toEqual({
          kind: 'token',
          scheme: 'Bearer',
          token: value,
        })
      }),
    )
  })

  it.each([
    ['no header', []],
    ['an empty header', ['']],
    ['Basic', ['Basic abc']],
    ['DPoP', ['DPoP abc.def.ghi']],
    ['a scheme that starts like Bearer', ['BearerX abc']],
    ['a scheme that ends like Bearer', ['XBearer abc']],
    ['a scheme with a hyphen', ['Bearer-Token abc']],
    ['Basic before Bearer in one line', ['Basic abc, Bearer def']],
    ['a space in front', [' Bearer abc']],
  ])('A15 B075 %s is no bearer credential', (_, values) => {
    expect(readCredentials(values)).toEqual({ kind: 'absent' })
  })

  it.each([
    ['nothing after the scheme', 'Bearer'],
    ['only a space after the scheme', 'Bearer '],
    ['trailing words', 'Bearer x y'],
    ['two in one line', 'Bearer a, Bearer b'],
    ['a parameter', 'Bearer token="a"'],
    ['a tab between', 'Bearer\tabc'],
    ['a comma', 'Bearer,abc'],
    ['padding alone', 'Bearer =='],
    ['padding inside', 'Bearer a=b'],
    ['a trailing space', 'Bearer abc '],
    ['a letter outside ASCII', 'Bearer abcü'],
    ['a line break', 'Bearer abc\n'],
    ['one character too many (A16)', `Bearer ${'x'.repeat(maxTokenLength + 1)}`],
  ])('A16 B076 %s is malformed', (_, value) => {
    expect(readCredentials([value])).toEqual({ kind: 'malformed', scheme: 'Bearer' })
  })

  it('A16 takes a token of exactly 16 KiB', () => {
    const longest = 'x'.repeat(16_384)
    expect(readCredentials([`Bearer ${longest}`])).toEqual({
      kind: 'token',
      scheme: 'Bearer',
      token: longest,
    })
  })

  it('A14 refuses several header lines, even equal or empty ones', () => {
    expect(readCredentials(['Bearer a', 'Bearer a'])).toEqual({ kind: 'several' })
    expect(readCredentials(['Basic a', 'Bearer b'])).toEqual({ kind: 'several' })
    expect(readCredentials(['', ''])).toEqual({ kind: 'several' })
  })

  it('never takes a token that the header does not hold, whatever comes in', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string().map((text) => `Bearer ${text}`),
        ),
        (value) => {
          const credentials = readCredentials([value])
          if (credentials.kind !== 'token') return
          expect(credentials.token).toMatch(/^[\w.~+/-]+=*$/)
          expect(value.toLowerCase().replace(/^bearer +/, '')).toBe(credentials.token.toLowerCase())
        },
      ),
    )
  })

  it.each(['DPoP', 'dpop', 'DPOP'])('A15 takes %s credentials only where the scheme is on', (scheme) => {
    const value = [`${scheme}  abc.def`]
    expect(readCredentials(value)).toEqual({ kind: 'absent' })
    for (const schemes of [['Bearer', 'DPoP'], ['DPoP']] as const) {
      expect(readCredentials(value, schemes)).toEqual({ kind: 'token', scheme: 'DPoP', token: 'abc.def' })
    }
  })

  it('A15 takes no Bearer credentials where only DPoP is on', () => {
    expect(readCredentials(['Bearer abc'], ['DPoP'])).toEqual({ kind: 'absent' })
  })

  it.each(['DPoP', 'DPoP ', 'DPoP a b', 'DPoP a, Bearer b', `DPoP ${'x'.repeat(maxTokenLength + 1)}`])(
    'A16 %s is malformed',
    (value) => {
      expect(readCredentials([value], ['Bearer', 'DPoP'])).toEqual({ kind: 'malformed', scheme: 'DPoP' })
    },
  )

  it.each(['DPoPX abc', 'XDPoP abc', 'DPoP-Token abc'])('A15 %s is another scheme', (value) => {
    expect(readCredentials([value], ['Bearer', 'DPoP'])).toEqual({ kind: 'absent' })
  })

  it('G53 answers a megabyte of hostile input before the test times out', () => {
    for (const value of [
      `Bearer ${'='.repeat(1e6)}`,
      `Bearer${' '.repeat(1e6)}`,
      `Bearer ${'a'.repeat(1e6)}!`,
    ]) {
      expect(readCredentials([value]).kind).toBe('malformed')
    }
  })
})

describe('A13 tokens in the query', () => {
  it.each([
    '/mcp?access_token=x',
    '/mcp?access_token',
    '/mcp?access_token=',
    '/mcp?a=1&access_token=x',
    '/mcp?%61ccess_token=x',
    '/mcp?access%5Ftoken=x',
    '/mcp?%61%63%63%65%73%73%5f%74%6f%6b%65%6e',
    '/mcp?x=%',
    '/mcp?x=%zz',
    '/mcp?%ff=1',
    '/mcp?x=%c0%af',
    'http://h.example/mcp?access_token=x',
    '/mcp??&access_token=x',
  ])('finds one in %s or cannot tell', (target) => {
    expect(hasQueryToken(target)).toBe(true)
  })

  it.each([
    '/mcp',
    '/mcp?',
    '/access_token',
    '/mcp?token=access_token',
    '/mcp?access_token2=x',
    '/mcp?xaccess_token=x',
    '/mcp?ACCESS_TOKEN=x',
    '/mcp?access_token%3Dx',
    '/mcp?a=1&b=%20&c',
    '/%61ccess_token=x',
  ])('finds none in %s', (target) => {
    expect(hasQueryToken(target)).toBe(false)
  })

  it('finds what taking the query apart finds, and cannot tell what nobody could take apart', () => {
    const piece = fc.oneof(
      fc.constantFrom('access_token', '%61ccess_token', 'access%5ftoken', 'acces%73%5Ftoken', 'ACCESS_TOKEN'),
      fc.constantFrom('&', '=', '+', '?', '#', '%', '%zz', '%C3', '%C3%A9', '%26', '%3D', 'a'),
    )
    const names = (query: string) =>
      query.split('&').map((parameter) => parameter.split('=').map((part) => decodeURIComponent(part))[0])
    const takenApart = (query: string) => {
      try {
        return names(query).includes('access_token')
      } catch {
        return true
      }
    }
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const query = pieces.join('')
        expect(hasQueryToken(`/mcp?${query}`)).toBe(takenApart(query))
      }),
      { numRuns: 1_000 },
    )
  })

  it('finds the name however it is encoded', () => {
    const encoded = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }).map((flags) =>
      Array.from('access_token')
        .map((letter, index) => (flags[index] ? `%${letter.charCodeAt(0).toString(16)}` : letter))
        .join(''),
    )
    const harmless = fc.constantFrom('a=1', 'b', 'c=%20')
    fc.assert(
      fc.property(fc.array(harmless), encoded, fc.array(harmless), (before, name, after) => {
        expect(hasQueryToken(`/mcp?${[...before, `${name}=x`, ...after].join('&')}`)).toBe(true)
        expect(hasQueryToken(`/mcp?${[...before, ...after].join('&')}`)).toBe(false)
      }),
    )
  })
})
