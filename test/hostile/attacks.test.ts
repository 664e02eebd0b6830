import { anyOf, jwtResourceServer } from 'castellan/resource-server'
import { testAuthorizationServer } from 'castellan/testing'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listenGuarded, resource, whoami, type GuardedServer } from '../fastify/guarded.js'
import { listen } from '../fastify/server.js'
import { modern, post, rawExchange, rawPost, type WireAnswer } from '../wire.js'

let server: GuardedServer
let good: { authorization: string }
beforeAll(async () => {
  server = await listenGuarded()
  good = await server.bearer()
})
afterAll(() => server.stop())

const call = (headers: Record<string, string>, name = 'whoami'): Promise<WireAnswer> =>
  post(server.url, modern('tools/call', { name }, { headers }))

const told = ({ status, text }: WireAnswer) => [status, text]
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const tokenOf = ({ authorization }: { authorization: string }) => authorization.slice('Bearer '.length)

describe('forged tokens', () => {
  test.each(['none', '', 'NONE', 'nOnE', null, 7, undefined, 'HS256', 'ES256K', 'RS1', '__proto__'])(
    'G1 G2 the algorithm %j with any signature is the same empty 401',
    async (alg) => {
      const [header = '', claims = '', signature = ''] = tokenOf(good).split('.')
      const { kid, typ } = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, string>
      for (const end of ['', signature])
        expect(
          told(await call({ authorization: `Bearer ${encode({ alg, typ, kid })}.${claims}.${end}` })),
        ).toEqual([401, ''])
    },
  )

  test('G5 a thousand made-up key names cost two reads of keys at most, and good tokens pass meanwhile', async () => {
    const fresh = await listenGuarded()
    onTestFinished(() => fresh.stop())
    const before = await post(fresh.url, modern('tools/list', {}, { headers: await fresh.bearer() }))
    expect(before.status).toBe(200)
    const statuses = new Map<string, number>()
    const count = (answer: WireAnswer) =>
      statuses.set(`${answer.status}`, (statuses.get(`${answer.status}`) ?? 0) + 1)
    for (let round = 0; round < 20; round += 1) {
      const forged = Array.from({ length: 50 }, async (_, n) =>
        fresh.as.mint({ resource, header: { kid: `made-up-${round}-${n}` } }),
      )
      const headers = [...(await Promise.all(forged)).map((token) => ({ authorization: `Bearer ${token}` }))]
      const all = [...headers, await fresh.bearer()]
      for (const answer of await Promise.all(
        all.map((one) => post(fresh.url, modern('tools/list', {}, { headers: one }))),
      ))
        count(answer)
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 1_000, 200: 20 })
    expect(fresh.as.requests.jwks).toBeLessThanOrEqual(2)
  })

  test('G8 two issuers: the same subject is two people, and keys of one never sign for the other', async () => {
    const [first, second] = await Promise.all([testAuthorizationServer(), testAuthorizationServer()])
    const members = [first, second].map(({ issuer }) =>
      jwtResourceServer({ resource, issuer, allowLoopbackHttp: true }),
    )
    const auth = anyOf(...members)
    const both = await listen({ auth, tools: [whoami] })
    onTestFinished(async () => {
      await both.app.close()
      await auth.close()
      await Promise.all([first.close(), second.close()])
    })
    const issuerOf = async (token: string) => {
      const verification = await auth.verify(token)
      return 'principal' in verification
        ? [verification.principal.issuer, verification.principal.subject]
        : []
    }
    expect(await issuerOf(await first.mint({ resource }))).toEqual([first.issuer, 'alice'])
    expect(await issuerOf(await second.mint({ resource }))).toEqual([second.issuer, 'alice'])
    const crossed = await first.mint({ resource, claims: { iss: second.issuer } })
    const answer = await post(
      both.url,
      modern('tools/list', {}, { headers: { authorization: `Bearer ${crossed}` } }),
    )
    expect(told(answer)).toEqual([401, ''])
  })
})

describe('tokens in other places', () => {
  test('G17 a token in a form, a cookie, another header or the body is none', async () => {
    const token = tokenOf(good)
    const form = {
      body: `access_token=${token}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
    expect((await post(server.url, form)).status).toBe(401)
    for (const headers of [
      { cookie: `access_token=${token}; authorization=Bearer ${token}` },
      { 'proxy-authorization': `Bearer ${token}` },
      { 'x-access-token': token, 'x-authorization': `Bearer ${token}` },
      { 'mcp-session-id': token },
    ])
      expect(told(await call(headers)), Object.keys(headers).join()).toEqual([401, ''])
    const inBody = modern('tools/list', { access_token: token, authorization: `Bearer ${token}` })
    expect((await post(server.url, inBody)).status).toBe(401)
  })

  test.each([
    ['a folded line', (token: string) => [`Authorization: Bearer`, ` ${token}`]],
    ['a space before the colon', (token: string) => [`Authorization : Bearer ${token}`]],
    ['a bare line feed', (token: string) => [`Authorization: Basic x\nAuthorization: Bearer ${token}`]],
    ['a NUL', (token: string) => [`Authorization: Bearer\0${token}`]],
    [
      'a trailer',
      (token: string) => ['Transfer-Encoding: chunked', `Trailer: authorization, Bearer ${token}`],
    ],
  ])('G17 %s is not let in', async (_name, lines) => {
    const raw = rawPost('/mcp', ['Content-Type: application/json', ...lines(tokenOf(good))], '{}')
    expect(await rawExchange(server.port, [raw])).toMatch(/^HTTP\/1\.1 4\d\d /)
  })
})

describe('ways round the guard', () => {
  test.each([
    '/mcp/',
    '/MCP',
    '//mcp',
    '/./mcp',
    '/x/../mcp',
    '/%6dcp',
    '/mcp%2f',
    '/mcp;x=1',
    '/mcp%00',
    '/mcp?',
    '/mcp#x',
    'http://evil.example/mcp',
  ])('G18 %s never reaches the endpoint without a token', async (path) => {
    const lines = Object.entries(modern('tools/list').headers).map(([name, value]) => `${name}: ${value}`)
    const body = JSON.stringify(modern('tools/list').body)
    const answer = await rawExchange(server.port, [rawPost(path, lines, body)])
    expect(answer).toMatch(/^HTTP\/1\.1 (401|404|400) /)
    expect(answer).not.toContain('"result"')
  })

  test.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
    'G18 %s changes no method',
    async (name) => {
      const answer = await fetch(server.url, { headers: { ...good, [name]: 'POST' } })
      expect(answer.status).toBe(405)
      expect((await call({ [name]: 'OPTIONS' })).status).toBe(401)
    },
  )

  test('G19 scopes are decided by the body, whatever the header names', async () => {
    const { body, headers } = modern('tools/call', { name: 'writing' }, { headers: good })
    const answer = await post(server.url, { body, headers: { ...headers, 'mcp-name': 'basic' } })
    expect([answer.status, answer.json.error.code]).toEqual([400, -32020])
    const legacy = {
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
      'mcp-name': 'basic',
    }
    expect((await post(server.url, { body, headers: { ...legacy, ...good } })).status).not.toBe(200)
  })

  test('G20 a session id of somebody else changes nothing of who is asking', async () => {
    const headers = { ...(await server.bearer(['mcp'], 'bob')), 'mcp-session-id': 'session-of-alice' }
    const { json } = await call(headers)
    expect(json.result.structuredContent).toMatchObject({ subject: 'bob' })
  })
})

describe('before anybody is verified', () => {
  test('G28 a large body is refused by its head, before it is sent', async () => {
    const socket = connect(server.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n{',
    )
    expect(await answered).toMatch(/^HTTP\/1\.1 401 /)
  })

  test('G27 no page of an error shows the inside or may be kept', async () => {
    const small = await listenGuarded({ bodyLimit: 100 })
    onTestFinished(() => small.stop())
    const headers = { 'content-type': 'application/json', ...(await small.bearer()) }
    const answers = await Promise.all([
      post(small.url, { body: ' '.repeat(200), headers }),
      post(small.url, { body: '{}', headers: { ...headers, 'content-type': 'text/plain' } }),
      post(small.url, { body: '{', headers }),
      post(`${small.url}/nothing`, { body: '{}', headers }),
      fetch(small.url, { method: 'PUT' }).then(async (answer) => ({
        status: answer.status,
        text: await answer.text(),
      })),
    ])
    expect(answers.map(({ status }) => status)).toEqual([413, 415, 400, 404, 405])
    const refusals = answers.slice(0, 3) as Awaited<ReturnType<typeof post>>[]
    for (const { headers: given } of refusals) expect(given.get('cache-control')).toBe('no-store')
    for (const { text } of answers) {
      expect(text).not.toMatch(/ {4}at |node_modules|src\/|\.ts:|eyJ/)
    }
  })
})
