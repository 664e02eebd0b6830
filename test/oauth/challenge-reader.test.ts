import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatChallenge } from '../../src/oauth/challenge.js'
import { readChallenges } from '../../src/oauth/challenge-reader.js'
import { asksForNonce, receivedChallenge } from '../../src/oauth/received-challenge.js'

function plain(lines: string | readonly string[]) {
  return readChallenges(lines).map(({ scheme, token68, parameters }) => [
    scheme,
    token68 ?? Object.fromEntries(parameters),
  ])
}

describe('B20 B21 the grammar', () => {
  test.each<[string, unknown[]]>([
    ['', []],
    [' , ,, ', []],
    ['Bearer', [['bearer', {}]]],
    [
      'Bearer, Basic',
      [
        ['bearer', {}],
        ['basic', {}],
      ],
    ],
    ['Bearer scope="a"', [['bearer', { scope: 'a' }]]],
    ['BEARER SCOPE=a', [['bearer', { scope: 'a' }]]],
    ['Bearer   scope = "a b" ,\terror\t=\tx', [['bearer', { scope: 'a b', error: 'x' }]]],
    ['Bearer a="1",, ,b="2",', [['bearer', { a: '1', b: '2' }]]],
    ['Bearer a="", b="2"', [['bearer', { a: '', b: '2' }]]],
    [String.raw`Bearer a="q\"u\\o\te"`, [['bearer', { a: String.raw`q"u\ote` }]]],
    [
      'Bearer a="1", Basic realm="x"',
      [
        ['bearer', { a: '1' }],
        ['basic', { realm: 'x' }],
      ],
    ],
    [
      'Basic realm="x, Bearer scope=y", Bearer scope="a"',
      [
        ['basic', { realm: 'x, Bearer scope=y' }],
        ['bearer', { scope: 'a' }],
      ],
    ],
    [
      'Negotiate YII=, Bearer scope="a"',
      [
        ['negotiate', 'YII='],
        ['bearer', { scope: 'a' }],
      ],
    ],
    ['Negotiate a/b+c.d-e_f~0==', [['negotiate', 'a/b+c.d-e_f~0==']]],
    [
      'NTLM abc , Bearer',
      [
        ['ntlm', 'abc'],
        ['bearer', {}],
      ],
    ],
    ['Bearer a=b', [['bearer', { a: 'b' }]]],
    ['Bearer a=', [['bearer', 'a=']]],
    [
      'Digest qop="auth", algorithm=MD5, Bearer a=1',
      [
        ['digest', { qop: 'auth', algorithm: 'MD5' }],
        ['bearer', { a: '1' }],
      ],
    ],
    [
      'Bearer error_description="scope=\\"evil\\", error=\\"x\\""',
      [['bearer', { error_description: 'scope="evil", error="x"' }]],
    ],
  ])('F31 %j', (header, expected) => {
    expect(plain(header)).toEqual(expected)
  })

  test.each([
    'Bearer a="1',
    'Bearer a="1\\"',
    'Bearer a="1" b="2"',
    'Bearer a="1"x',
    'a="1"',
    'Bearer a=1=2',
    'Bearer =1',
    'Bearer a b c',
    'Bearer "a"',
    'Bearer a="x\ny"',
    'Bearer a="\u0000"',
    'Bearer a="é\u0100"',
    'Bearer/1 a="1"',
    '"',
    '=',
    'Basic realm="ok", Bearer scope="unterminated',
  ])('F31 a header that breaks the grammar says nothing: %j', (header) => {
    expect(plain(header)).toEqual([])
  })

  test('B21 a challenge with a parameter given twice is left out, the others stay', () => {
    expect(plain('Bearer a=1, A="2", Basic realm="x", Bearer scope="s"')).toEqual([
      ['basic', { realm: 'x' }],
      ['bearer', { scope: 's' }],
    ])
  })

  test('B21 a challenge with a token68 and parameters is left out', () => {
    expect(plain('Bearer abc, scope="a", Basic realm="x"')).toEqual([['basic', { realm: 'x' }]])
  })

  test('B20 lines given one by one are the same as lines joined', () => {
    const lines = ['Bearer a="1"', 'Basic realm="x"', 'DPoP algs="ES256"']
    expect(plain(lines)).toEqual(plain(lines.join(', ')))
    expect(plain(lines)).toHaveLength(3)
  })
})

describe('B23 G53 bounds', () => {
  test.each([
    ['8 KiB', `Bearer a="${'x'.repeat(8_192 - 11)}"`, 1],
    ['more than 8 KiB', `Bearer a="${'x'.repeat(8_192 - 10)}"`, 0],
    ['16 challenges', Array(16).fill('Bearer').join(','), 16],
    ['17 challenges', Array(17).fill('Bearer').join(','), 0],
    ['32 parameters', `Bearer ${Array.from({ length: 32 }, (_, index) => `p${index}=1`).join()}`, 1],
    ['33 parameters', `Bearer ${Array.from({ length: 33 }, (_, index) => `p${index}=1`).join()}`, 0],
  ])('%s', (_name, header, count) => {
    expect(readChallenges(header)).toHaveLength(count)
  })

  const filled = (piece: string, start = '') => (start + piece.repeat(8_192)).slice(0, 8_192)
  test.each([
    ['spaces', filled(' ')],
    ['spaces after a scheme', filled(' ', 'Bearer ')],
    ['quotes', filled('"')],
    ['backslashes in a string', filled('\\', 'Bearer a="')],
    ['escapes in a string', filled('\\"', 'Bearer a="')],
    ['commas', filled(',')],
    ['schemes', filled('Bearer ')],
    ['equals', filled('=', 'Bearer a')],
    ['token68 that ends badly', `${filled('a', 'Bearer ').slice(0, 8_191)}"`],
    ['token68 and equals that end badly', `${filled('a', 'Bearer ').slice(0, 4_000)}${'='.repeat(4_000)}"`],
    ['parameters', filled('a="b",', 'Bearer ')],
    ['gaps', filled('a = "b" , ', 'Bearer ')],
    ['one megabyte', 'Bearer '.repeat(150_000)],
  ])('G53 hostile %s are read 300 times within the time of one test', (_name, header) => {
    for (let count = 0; count < 300; count += 1) readChallenges(header)
  })
})

describe('properties', () => {
  const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/)
  const value = fc.stringMatching(/^[\t -~\x80-\xff]{0,20}$/)
  const gap = fc.constantFrom('', ' ', '\t', '  ')
  const parameter = fc.record({ name: token, value, before: gap, after: gap })
  const challenge = fc.record({
    scheme: token,
    parameters: fc.uniqueArray(parameter, { maxLength: 6, selector: ({ name }) => name.toLowerCase() }),
  })

  test('B21 whatever is written by the grammar is read back', () => {
    fc.assert(
      fc.property(
        fc.array(challenge, { maxLength: 5 }),
        fc.constantFrom(',', ', ', ' ,, ,'),
        (challenges, comma) => {
          const written = challenges.map(({ scheme, parameters }) => {
            const rest = parameters.map(
              ({ name, value: text, before, after }) =>
                `${name}${before}=${after}"${text.replaceAll(/["\\]/g, '\\$&')}"`,
            )
            return [scheme, rest.join(comma)].filter((part) => part !== '').join(' ')
          })
          expect(plain(written.join(comma))).toEqual(
            challenges.map(({ scheme, parameters }) => [
              scheme.toLowerCase(),
              Object.fromEntries(parameters.map(({ name, value: text }) => [name.toLowerCase(), text])),
            ]),
          )
        },
      ),
    )
  })

  test('G53 no text makes it throw', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('B', 'a', ' ', '"', '\\', ',', '=', '\t', 'é', '\n'),
      maxLength: 60,
    })
    fc.assert(fc.property(hostile, (text) => Array.isArray(readChallenges(text))))
  })

  test('what our own server writes is understood', () => {
    const scope = fc.uniqueArray(fc.stringMatching(/^[!#-[\]-~]{1,10}$/), { maxLength: 8 })
    const description = fc.string({ maxLength: 30 })
    fc.assert(
      fc.property(scope, description, (scopes, text) => {
        const resourceMetadata = 'https://api.example.com/.well-known/oauth-protected-resource/mcp'
        const header = formatChallenge({
          resourceMetadata,
          error: 'insufficient_scope',
          scope: scopes,
          description: text,
        })
        expect(receivedChallenge(header)).toEqual({
          scheme: 'bearer',
          resourceMetadata,
          error: 'insufficient_scope',
          ...(scopes.length > 0 && { scope: scopes }),
        })
      }),
    )
  })
})

describe('the challenge that counts', () => {
  test.each<[string, unknown]>([
    ['Basic realm="x"', undefined],
    ['Bearer', { scheme: 'bearer' }],
    ['Bearer abc', undefined],
    ['Bearer scope="a b a"', { scheme: 'bearer', scope: ['a', 'b'] }],
    [
      'Bearer scope="a", Bearer resource_metadata="https://x"',
      { scheme: 'bearer', resourceMetadata: 'https://x' },
    ],
    ['Bearer error="invalid_token", Bearer scope="a"', { scheme: 'bearer', error: 'invalid_token' }],
    ['DPoP algs="ES256", Bearer scope="a"', { scheme: 'bearer', scope: ['a'] }],
    ['DPoP resource_metadata="https://x"', { scheme: 'dpop', resourceMetadata: 'https://x' }],
    [
      'Bearer resource_metadata="https://x", DPoP resource_metadata="https://x"',
      { scheme: 'bearer', resourceMetadata: 'https://x' },
    ],
  ])('B22 %j', (header, expected) => {
    expect(receivedChallenge(header)).toEqual(expected)
  })

  test('B22 different metadata addresses are an error', () => {
    const header = 'Bearer resource_metadata="https://canary-a", Bearer resource_metadata="https://canary-b"'
    expect(() => receivedChallenge(header)).toThrow(
      expect.objectContaining({ code: 'ERR_DISCOVERY', message: expect.not.stringContaining('canary') }),
    )
  })

  test('B22 B26 a description never becomes a scope or an error', () => {
    const header = String.raw`Bearer error_description="scope=\"admin\", error=\"insufficient_scope\"", scope="a"`
    expect(receivedChallenge(header)).toEqual({ scheme: 'bearer', scope: ['a'] })
  })

  const many = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`).join(' ')
  test.each([
    ['quotes in it', String.raw`Bearer scope="a \"b\""`],
    ['a backslash in it', String.raw`Bearer scope="a\\b"`],
    ['a letter outside ASCII', 'Bearer scope="é"'],
    ['double spaces', 'Bearer scope="a  b"'],
    ['a tab', 'Bearer scope="a\tb"'],
    ['65 names', `Bearer scope="${many(65)}"`],
  ])('G54 B23 a scope with %s makes the challenge none', (_name, header) => {
    expect(receivedChallenge(header)).toBeUndefined()
  })

  test('B23 64 names are read', () => {
    expect(receivedChallenge(`Bearer scope="${many(64)}"`)?.scope).toHaveLength(64)
  })

  test('a server that asks for a nonce is recognised', () => {
    expect(asksForNonce('DPoP error="use_dpop_nonce", algs="ES256"')).toBe(true)
    expect(asksForNonce(['Bearer scope="a"', 'dpop error=use_dpop_nonce'])).toBe(true)
    expect(asksForNonce('Bearer error="use_dpop_nonce"')).toBe(false)
    expect(asksForNonce('DPoP error="invalid_token"')).toBe(false)
  })
})
