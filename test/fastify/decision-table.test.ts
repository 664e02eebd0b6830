import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modern, post, rawExchange, rawPost } from '../wire.js'
import { listenGuarded, metadataUrl, type GuardedServer } from './guarded.js'

let server: GuardedServer
let good: { authorization: string }
beforeAll(async () => {
  server = await listenGuarded({ origins: ['https://app.example.com'] })
  good = await server.bearer()
})
afterAll(() => server.stop())

const call = (name: string, headers: Record<string, string> = {}) =>
  post(server.url, modern('tools/call', { name }, { headers }))

const bare = `Bearer resource_metadata="${metadataUrl}", scope="mcp"`

function expectRejection(
  answer: Awaited<ReturnType<typeof post>>,
  status: number,
  challenge: string | null,
): void {
  expect({
    status: answer.status,
    challenge: answer.headers.get('www-authenticate'),
    body: answer.text,
    caching: answer.headers.get('cache-control'),
    cookie: answer.headers.get('set-cookie'),
  }).toEqual({ status, challenge, body: '', caching: 'no-store', cookie: null })
}

describe('POST', () => {
  test.each([
    'https://evil.example.com',
    'https://evilapp.example.com',
    'null',
    '',
    'https://app.example.com:8443',
    'HTTPS://APP.EXAMPLE.COM',
  ])('A10 B147 G-48 G23 origin %j is 403 before anything else, without a challenge', async (origin) => {
    const answer = await post(server.url, modern('tools/list', {}, { headers: { origin } }))
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 403, text: 'Forbidden' })
    expect(answer.headers.get('www-authenticate')).toBeNull()
  })

  test('A10 two origins are 403 even when both are listed', async () => {
    const lines = [
      'Origin: https://app.example.com',
      'Origin: https://app.example.com',
      'Content-Type: application/json',
    ]
    expect(await rawExchange(server.port, [rawPost('/mcp', lines, '{}')])).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('A10 a listed origin passes', async () => {
    const answer = await call('basic', { ...good, origin: 'https://app.example.com' })
    expect(answer.status).toBe(200)
  })

  test.each(['access_token=x', '%61ccess_token=x', 'a=1&access_token', 'access%5Ftoken=x', 'x=%zz', '%ff=1'])(
    'A13 query %s is 400 even beside a good header',
    async (query) => {
      const answer = await post(`${server.url}?${query}`, modern('tools/list', {}, { headers: good }))
      expectRejection(answer, 400, `Bearer resource_metadata="${metadataUrl}", error="invalid_request"`)
    },
  )

  test.each([
    ['writing', ['mcp'], 'notes:read notes:write'],
    ['writing', ['mcp', 'notes:read'], 'notes:read notes:write'],
    ['either', ['mcp', 'notes:read'], 'notes:read notes:share'],
    ['basic', ['notes:read'], 'mcp'],
    ['nope', ['notes:read'], 'mcp'],
  ])('A20 A31 B086 %s with %j is 403 naming all scopes at once', async (tool, scopes, needed) => {
    const answer = await call(tool, await server.bearer(scopes))
    expectRejection(
      answer,
      403,
      `Bearer resource_metadata="${metadataUrl}", error="insufficient_scope", scope="${needed}"`,
    )
  })

  test.each([
    ['writing', ['notes:read', 'notes:write']],
    ['writing', ['notes:write']],
    ['either', ['admin']],
    ['either', ['notes:read', 'notes:share']],
    ['whoami', []],
    ['basic', ['mcp']],
  ])('A95 %s with %j runs', async (tool, scopes) => {
    expect((await call(tool, await server.bearer(scopes))).status).toBe(200)
  })

  test('A26 every request is authenticated anew', async () => {
    expect((await call('basic', good)).status).toBe(200)
    expect((await call('basic', { 'mcp-session-id': 'x', cookie: 'session=x' })).status).toBe(401)
  })

  test('A6 discovery needs a token, so that a client learns the scopes', async () => {
    expectRejection(await post(server.url, modern('server/discover')), 401, bare)
  })

  test('A98 an unknown tool is an ordinary error after authentication', async () => {
    expect((await call('nope', good)).json.error.code).toBe(-32602)
  })

  test('A99 the handler sees the principal and no token', async () => {
    const { json, text } = await call('whoami', await server.bearer(['notes:write'], 'bob'))
    expect(json.result.structuredContent).toEqual({ subject: 'bob', scopes: ['notes:write', 'notes:read'] })
    expect(text).not.toContain('eyJ')
  })
})

describe('other methods', () => {
  test('A10 a foreign origin is 403 on every method', async () => {
    for (const method of ['GET', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(server.url, { method, headers: { origin: 'https://evil.example.com' } })
      expect(answer.status).toBe(403)
    }
  })
})
