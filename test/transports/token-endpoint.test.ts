import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { privateKey, secretBasic, secretPost } from 'castellan/transports'
import { boundedHttp, type BoundedHttp } from '../../src/network/bounded-http.js'
import type { IssuerQuirks } from '../../src/oauth/registration/quirks.js'
import { loopbackServer, type LoopbackServer } from '../../src/testing/loopback-server.js'
import { resourceParameter } from '../../src/transports/token/resource-parameter.js'
import { retryAfterSeconds } from '../../src/transports/token/retry-after.js'
import { requestToken } from '../../src/transports/token/token-endpoint.js'

interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly how?: 'hang' | 'drop'
}

let server: LoopbackServer
let http: BoundedHttp
let next: Answer
let seen: { headers: Record<string, unknown>; form: [string, string][] }[]

beforeEach(async () => {
  seen = []
  http = boundedHttp({ timeoutMilliseconds: 300 })
  server = await loopbackServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({
        headers: request.headers,
        form: [...new URLSearchParams(Buffer.concat(chunks).toString())],
      })
      const { status = 200, headers = {}, body, how } = next
      if (how === 'drop') response.destroy()
      if (how !== undefined) return
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
})
afterEach(async () => {
  await http.close()
  await server.close()
})

function ask(answer: Answer, quirks: IssuerQuirks = {}, parameters: Record<string, string | undefined> = {}) {
  next = answer
  const issuer = 'https://login.example.com'
  return requestToken((form) => http.send(form), {
    server: { issuer, token_endpoint: `${server.origin}/token` },
    registration: secretPost({ issuer, clientId: 'job', clientSecret: 'canary-secret', quirks }),
    parameters: { grant_type: 'client_credentials', ...parameters },
  })
}

const token = { access_token: 'canary-token', token_type: 'Bearer', expires_in: 60 }

describe('a request', () => {
  test('B62 B75 B100 F11 is one form with the client, and asks for JSON', async () => {
    await ask({ body: token }, {}, { resource: 'https://h/mcp', scope: undefined })
    expect(seen).toHaveLength(1)
    expect(seen[0]!.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(seen[0]!.form).toEqual([
      ['grant_type', 'client_credentials'],
      ['resource', 'https://h/mcp'],
      ['client_id', 'job'],
      ['client_secret', 'canary-secret'],
    ])
  })

  test.each([
    [{}, 'https://h'],
    [{ resourceParameter: 'send' }, 'https://h'],
    [{ resourceParameter: 'omit' }, undefined],
    [{ resourceParameter: { value: 'api://h' } }, 'api://h'],
  ] as const)('B33 B75 F8 F10 with %j names the resource %j', (quirks, expected) => {
    expect(resourceParameter('https://h', quirks)).toBe(expected)
  })

  test('B60 is not sent when the client cannot sign, and says nothing of why', async () => {
    const issuer = 'https://login.example.com'
    const key = () => Promise.reject(new Error('canary-kms'))
    const outcome = await requestToken((form) => http.send(form), {
      server: { issuer, token_endpoint: `${server.origin}/token` },
      registration: privateKey({ issuer, clientId: 'job', key, kid: 'k', alg: 'ES256' }),
      parameters: { grant_type: 'client_credentials' },
    })
    expect(outcome).toMatchObject({ ok: false, usedUp: false, error: { code: 'ERR_TOKEN_ENDPOINT' } })
    expect(inspect(outcome, { depth: 9 })).not.toContain('canary')
    expect(seen).toEqual([])
  })

  test('without a token endpoint there is nowhere to send it', async () => {
    const registration = secretBasic({ issuer: 'https://h', clientId: 'job', clientSecret: 's' })
    const outcome = await requestToken((form) => http.send(form), {
      server: { issuer: 'https://h' },
      registration,
      parameters: {},
    })
    expect(outcome).toMatchObject({ ok: false, error: { code: 'ERR_DISCOVERY' } })
  })
})

describe('an answer with a token', () => {
  test.each<[string, unknown, object, IssuerQuirks?]>([
    ['B101', token, { accessToken: 'canary-token', tokenType: 'Bearer', expiresInSeconds: 60 }],
    ['B101', { ...token, token_type: 'bEaReR' }, { tokenType: 'Bearer' }],
    ['B101', { ...token, scope: 'a  b' }, { scope: ['a', 'b'] }],
    ['B104', { ...token, expires_in: '90' }, { expiresInSeconds: 90 }],
    ['B104', { ...token, expires_in: 1.5 }, { expiresInSeconds: 1.5 }],
    ['B104', { ...token, expires_in: undefined }, { expiresInSeconds: 7 }, { defaultExpiresInSeconds: 7 }],
    ['B106', { ...token, id_token: 'x', refresh_token: 'r' }, { refreshToken: 'r' }],
    ['B101', { ...token, token_type: undefined }, { tokenType: 'Bearer' }, { assumeBearer: true }],
    ['B102 B104', { ...token, expires_in: -1 }, { expiresInSeconds: 0 }],
    ['B102 B104', { ...token, expires_in: '-1' }, { expiresInSeconds: 0 }],
    ['B102 B104', { ...token, expires_in: 0 }, { expiresInSeconds: 0 }],
    ['B102 B104', { ...token, expires_in: 4_294_967_295 }, { expiresInSeconds: 315_360_000 }],
    ['B102 B104', { ...token, expires_in: 1e300 }, { expiresInSeconds: 315_360_000 }],
    [
      'B102 B104',
      { ...token, expires_in: '3600abc' },
      { expiresInSeconds: 7 },
      { defaultExpiresInSeconds: 7 },
    ],
    ['B102 B104', { ...token, expires_in: null }, { expiresInSeconds: 7 }, { defaultExpiresInSeconds: 7 }],
    ['B102 B104', { ...token, expires_in: true }, { expiresInSeconds: 7 }, { defaultExpiresInSeconds: 7 }],
    ['B101', { ...token, error: null }, { accessToken: 'canary-token' }],
  ])('%s %j is read', async (_, body, expected, quirks) => {
    const outcome = await ask({ body }, quirks)
    expect(outcome).toMatchObject({ ok: true, token: expected })
    expect(JSON.stringify(outcome)).not.toContain('id_token')
  })

  test.each([{ refresh_token: '' }, { refresh_token: null }, { scope: null }])(
    'B101 %j says nothing',
    async (said) => {
      const outcome = await ask({ body: { ...token, expires_in: undefined, ...said } })
      expect(outcome).toEqual({ ok: true, token: { accessToken: 'canary-token', tokenType: 'Bearer' } })
    },
  )

  test('B104 without a lifetime there is none', async () => {
    const outcome = await ask({ body: { ...token, expires_in: undefined } })
    expect(outcome).toEqual({ ok: true, token: { accessToken: 'canary-token', tokenType: 'Bearer' } })
  })

  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' } }

  test('B100 F24 may be a form only where that is allowed', async () => {
    const body = 'access_token=t&token_type=bearer&scope=repo&expires_in=5'
    expect(await ask({ ...form, body })).toMatchObject({ ok: false })
    const quirks = { acceptFormEncodedTokenResponse: true }
    expect(await ask({ ...form, body }, quirks)).toMatchObject({
      ok: true,
      token: { accessToken: 't', scope: ['repo'], expiresInSeconds: 5 },
    })
    expect(await ask({ ...form, body: `${body}&access_token=u` }, quirks)).toMatchObject({ ok: false })
    expect(await ask({ ...form, body: 'error=invalid_grant' }, quirks)).toMatchObject({
      error: { oauthCode: 'invalid_grant' },
    })
  })
})

describe('an answer without one', () => {
  const unavailable = { ok: false, error: { code: 'ERR_AUTHORIZATION_UNAVAILABLE' } }

  test.each<[string, Answer, boolean]>([
    ['500', { status: 500, body: { error: 'x' } }, false],
    ['503', { status: 503, headers: { 'retry-after': '9' }, body: '' }, false],
    ['429', { status: 429, body: '' }, false],
    ['502 of a gateway', { status: 502, body: '<html>' }, true],
    ['504 of a gateway', { status: 504, body: '' }, true],
    ['a code that says so', { status: 400, body: { error: 'temporarily_unavailable' } }, false],
    ['a hanging answer', { how: 'hang' }, true],
    ['a dropped connection', { how: 'drop' }, true],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' }, body: '' }, false],
    ['a huge answer', { body: 'x'.repeat(300_000) }, true],
    ['broken JSON', { body: '{"access_token":' }, true],
    ['a list', { body: [token] }, true],
    ['null', { body: null }, true],
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<html>canary</html>' }, true],
    ['no bytes', { body: '' }, true],
    ['204', { status: 204, body: undefined }, true],
    ['201', { status: 201, body: token }, true],
    ['a member twice', { body: '{"access_token":"a","token_type":"Bearer","access_token":"b"}' }, true],
    ['no access_token', { body: { token_type: 'Bearer' } }, true],
    ['an access_token of another kind', { body: { ...token, access_token: 1 } }, true],
    ['an access_token with a line break', { body: { ...token, access_token: 'a\r\nx: y' } }, true],
    ['no token_type', { body: { access_token: 'a' } }, true],
    ['another token_type', { body: { ...token, token_type: 'N_A' } }, true],
    ['a refresh_token of another kind', { body: { ...token, refresh_token: {} } }, true],
    ['a prototype', { body: '{"__proto__":{"access_token":"a","token_type":"Bearer"}}' }, true],
  ])('B101 B105 F46 G64 is unavailable: %s', async (_, answer, usedUp) => {
    const outcome = await ask(answer)
    expect(outcome).toMatchObject({ ...unavailable, usedUp })
    expect(inspect(outcome, { depth: 9, showHidden: true })).not.toContain('canary')
    expect(seen).toHaveLength(1)
    expect(await ask({ body: token })).toMatchObject({ ok: true })
  })

  test('B105 F20 an endpoint nobody listens at is unavailable, and nothing was used up', async () => {
    await server.close()
    expect(await ask({ body: token })).toMatchObject({ ...unavailable, usedUp: false })
  })

  test.each<[string, Answer, string | undefined, boolean]>([
    [
      '400',
      { status: 400, body: { error: 'invalid_grant', error_description: 'canary' } },
      'invalid_grant',
      true,
    ],
    ['400', { status: 400, body: { error: 'invalid_scope' } }, 'invalid_scope', false],
    ['400', { status: 400, body: { error: 'invalid_target' } }, 'invalid_target', false],
    ['B102 F23 200', { body: { error: 'bad_verification_code' } }, 'bad_verification_code', false],
    [
      'B113 200 beside a token',
      { body: { error: 'bad_verification_code', ...token } },
      'bad_verification_code',
      true,
    ],
    ['B102 200', { body: { error: 7 } }, undefined, false],
    ['B103 401', { status: 401, body: { error: 'invalid_client' } }, 'invalid_client', false],
    [
      'B103 401',
      { status: 401, headers: { 'www-authenticate': 'Basic realm="canary"' }, body: {} },
      'invalid_client',
      false,
    ],
    ['B103 401', { status: 401, body: '' }, 'invalid_client', false],
    ['403', { status: 403, body: '<html>canary</html>' }, undefined, false],
    ['F46 400', { status: 400, body: ['canary'] }, undefined, false],
    ['400', { status: 400, body: { error: 'canary-secret is "wrong"' } }, undefined, false],
  ])('B105 %s with %j is a refusal with the code %j', async (_, answer, oauthCode, usedUp) => {
    const outcome = await ask(answer)
    expect(outcome).toMatchObject({ ok: false, usedUp, error: { code: 'ERR_TOKEN_ENDPOINT', oauthCode } })
    expect(inspect(outcome, { depth: 9, showHidden: true })).not.toContain('canary')
  })
})

test.each([
  ['7', 7],
  ['0', 0],
  [undefined, undefined],
  ['soon', undefined],
  ['-1', undefined],
  ['1e9', undefined],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 9],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
])('C11 Retry-After %j is %j seconds', (value, expected) => {
  expect(retryAfterSeconds(value, 1_000)).toBe(expected)
})
