import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  callbackState,
  readCallback,
  type ExpectedCallback,
} from '../../../src/transports/consent/callback.js'
import { ConsentError } from '../../../src/transports/errors.js'

const redirectUri = 'https://app.example.com/oauth/callback'
const issuer = 'https://login.example.com/t'
const encoded = encodeURIComponent(issuer)

function expected(changes: Partial<ExpectedCallback> = {}): ExpectedCallback {
  return {
    redirectUri,
    state: 's1',
    issuer,
    isIssuerAnnounced: true,
    expiresAt: Date.now() + 60_000,
    ...changes,
  }
}

function reason(callbackUrl: string, changes?: Partial<ExpectedCallback>): string {
  try {
    return `code ${readCallback(expected(changes), callbackUrl).code}`
  } catch (error) {
    expect(error).toBeInstanceOf(ConsentError)
    expect(inspect(error, { depth: 9 })).not.toContain('canary')
    return (error as ConsentError).reason
  }
}

const good = `${redirectUri}?code=c1&state=s1&iss=${encoded}`

describe('B90 what came back', () => {
  test.each([
    good,
    `/oauth/callback?code=c1&state=s1&iss=${encoded}`,
    `${good}&session_state=x&scope=a+b&authuser=0&authuser=1`,
    `/oauth/callback?iss=${encoded}&state=s1&code=c1`,
  ])('%s is the answer', (url) => {
    expect(reason(url)).toBe('code c1')
  })

  const tail = `?code=c1&state=s1&iss=${encoded}`
  test.each([
    `https://app.example.com/oauth/callback/${tail}`,
    `https://app.example.com/oauth/Callback${tail}`,
    `https://app.example.com/oauth/./callback${tail}`,
    `https://app.example.com/oauth%2Fcallback${tail}`,
    `https://app.example.com//oauth/callback${tail}`,
    `https://app.example.com:8443/oauth/callback${tail}`,
    `https://app.example.com:443/oauth/callback${tail}`,
    `http://app.example.com/oauth/callback${tail}`,
    `https://app.example.com.evil.example/oauth/callback${tail}`,
    `https://canary@app.example.com/oauth/callback${tail}`,
    `//evil.example/oauth/callback${tail}`,
    `/other${tail}`,
    `oauth/callback${tail}`,
    `${good}#x`,
    `${redirectUri}#code=c1&state=s1`,
    `${good}&code=canary`,
    `${good}&state=s1`,
    `${good}&iss=${encoded}`,
    `${good}&error=`,
    `${good}&error=access_denied`,
    `${good}&error_description=a&error_description=canary`,
    `${good}&response=canary`,
    `${redirectUri}?state=s1&iss=${encoded}`,
    `${redirectUri}?code=&state=s1&iss=${encoded}`,
    `${redirectUri}?code=%00canary&state=s1&iss=${encoded}`,
    `${redirectUri}?code=c1&iss=${encoded}`,
    redirectUri,
    '',
    `${good}&x=${'x'.repeat(20_000)}`,
  ])('G48 %s is not', (url) => {
    expect(reason(url)).toBe('mismatch')
  })

  test('G50 the own query of the redirect URI comes back as it is, once', () => {
    const own = { redirectUri: `${redirectUri}?tenant=a&next=%2Fx` }
    expect(reason(`${redirectUri}?tenant=a&next=%2Fx&code=c1&state=s1&iss=${encoded}`, own)).toBe('code c1')
    expect(reason(`${redirectUri}?code=c1&state=s1&iss=${encoded}&next=/x&tenant=a`, own)).toBe('code c1')
    for (const query of [
      '',
      'tenant=b&next=/x&',
      'tenant=a&',
      'tenant=a&next=/x&tenant=a&',
      'tenant=a&next=/evil&',
    ])
      expect(reason(`${redirectUri}?${query}code=c1&state=s1&iss=${encoded}`, own)).toBe('mismatch')
  })

  test('F40 a loopback redirect is its host as written', () => {
    const own = { redirectUri: 'http://127.0.0.1:3000/callback' }
    expect(reason(`http://127.0.0.1:3000/callback?code=c1&state=s1&iss=${encoded}`, own)).toBe('code c1')
    for (const host of ['localhost:3000', '127.0.0.1:3001', '127.0.0.1', '[::1]:3000'])
      expect(reason(`http://${host}/callback?code=c1&state=s1&iss=${encoded}`, own)).toBe('mismatch')
  })
})

describe('B91 the order of the checks', () => {
  const late = { expiresAt: Date.now() - 1 }
  test.each<[string, string, Partial<ExpectedCallback>, string]>([
    [
      'a foreign state comes before everything',
      `${redirectUri}?error=access_denied&state=other`,
      late,
      'mismatch',
    ],
    ['time comes before the issuer', `${redirectUri}?code=c1&state=s1&iss=other`, late, 'expired'],
    [
      'the issuer comes before the error',
      `${redirectUri}?error=access_denied&state=s1&iss=other`,
      {},
      'mismatch',
    ],
    ['then the user has refused', `${redirectUri}?error=access_denied&state=s1&iss=${encoded}`, {}, 'denied'],
    ['or the server has', `${redirectUri}?error=server_error&state=s1&iss=${encoded}`, {}, 'failed'],
  ])('F49 %s', (_name, url, changes, outcome) => {
    expect(reason(url, changes)).toBe(outcome)
  })

  test('G47 the state is compared as a whole', () => {
    for (const state of ['', 's', 's11', 'S1', 's1%20', '%73%31x'])
      expect(reason(`${redirectUri}?code=c1&state=${state}&iss=${encoded}`)).toBe('mismatch')
  })
})

describe('B92 the issuer (RFC 9207)', () => {
  test.each<[boolean, string | undefined, string]>([
    [true, issuer, 'code c1'],
    [true, undefined, 'mismatch'],
    [false, issuer, 'code c1'],
    [false, undefined, 'code c1'],
    [true, `${issuer}/`, 'mismatch'],
    [false, `${issuer}/`, 'mismatch'],
    [true, 'https://login.example.com', 'mismatch'],
    [true, 'https://LOGIN.example.com/t', 'mismatch'],
    [true, 'https://login.example.com:443/t', 'mismatch'],
    [true, 'https://login.example.com/%74', 'mismatch'],
    [true, encoded, 'mismatch'],
    [false, 'https://evil.example.com', 'mismatch'],
    [false, '', 'mismatch'],
  ])('F3 G42 announced: %s, given: %s', (isIssuerAnnounced, given, outcome) => {
    const rest = given === undefined ? '' : `&iss=${encodeURIComponent(given)}`
    expect(reason(`${redirectUri}?code=c1&state=s1${rest}`, { isIssuerAnnounced })).toBe(outcome)
  })
})

describe('B93 what is told', () => {
  const text = (error: string) => {
    try {
      const more = 'error_description=%3Cb%3Ecanary%1B%5B31m&error_uri=https://canary.example'
      readCallback(expected(), `${redirectUri}?error=${error}&${more}&state=s1&iss=${encoded}`)
      return ''
    } catch (thrown) {
      expect(inspect(thrown)).not.toContain('canary')
      return (thrown as Error).message
    }
  }

  test('G49 F3 a registered error by its name, nothing else of the answer', () => {
    expect(text('invalid_target')).toBe('The authorization server gave no code: invalid_target')
    expect(text('canary_error')).toBe('The authorization server gave no code')
    expect(text('access_denied')).toBe('The consent was refused')
  })

  test('no text whatever gives a code that was not asked for', () => {
    const piece = fc.constantFrom(
      'code=c',
      'state=s1',
      'state=x',
      `iss=${encoded}`,
      'error=x',
      '&',
      '?',
      '#',
      '/',
      redirectUri,
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const url = redirectUri + pieces.join('')
        const told = reason(url, { state: 'unguessable' })
        expect(told).toBe('mismatch')
      }),
    )
  })
})

describe('the state to find a transaction by', () => {
  test.each(['/cb?state=abc', 'https://a/cb?code=1&state=abc', '/cb?state=%61bc'])('of %s', (url) => {
    expect(callbackState(url)).toBe('abc')
  })

  test.each([
    '/cb',
    '/cb?state=',
    '/cb?state=a&state=a',
    '/cb?code=state',
    '',
    `/cb?state=${'x'.repeat(20_000)}`,
  ])('there is none in %s', (url) => {
    expect(() => callbackState(url)).toThrow(expect.objectContaining({ reason: 'mismatch' }))
  })
})
