import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createGuard } from '../../../src/resource-server/index.js'
import type { Verification } from '../../../src/resource-server/index.js'
import type { Fault } from '../../../src/testing/index.js'
import { outcome, resource, setClock, startAuthorizationServer, until } from '../fixture.js'
import { activeAnswer, introspecting, scriptedEndpoint, type Scripted } from './fixture.js'

const quick = { waiting: 1_000, timeoutMilliseconds: 400 }
const usual = { waiting: 1_000, timeoutMilliseconds: 5_000 }

beforeAll(() => import('undici'))
const text = (body: string): Scripted => ({ text: body })

/** How an authorization server fails, and how many of seven requests in a row it still sees: five, or all if it may mean the token. */
const failures: [string, Scripted, number][] = [
  ['a dropped connection', (response) => void response.destroy(), 5],
  ['no answer', () => undefined, 5],
  [
    'a drip',
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    5,
  ],
  ['500', { status: 500, text: '' }, 5],
  ['502', { status: 502, text: '' }, 5],
  ['400', { status: 400, text: '{"error":"invalid_request"}' }, 7],
  ['401', { status: 401, text: '{"error":"invalid_client"}' }, 5],
  ['403', { status: 403, text: '' }, 5],
  ['404', { status: 404, text: '' }, 5],
  ['413', { status: 413, text: '' }, 7],
  ['429', { status: 429, text: '' }, 5],
  [
    'a redirect (G13)',
    (response) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    5,
  ],
  ['a huge answer', text(`{"active":true,"x":"${'x'.repeat(300_000)}"}`), 5],
  ['a broken answer', text('{"active":'), 5],
  ['a duplicate member', text('{"active":false,"active":true}'), 5],
  ['"true"', text('{"active":"true"}'), 5],
  ['1', text('{"active":1}'), 5],
  ['null', text('null'), 5],
  ['a list', text('[]'), 5],
  ['HTML', { type: 'text/html', text: '<html>' }, 5],
  ['deep nesting', text(`{"active":true,"x":${'['.repeat(100_000)}`), 5],
]

const silent = ['no answer', 'a drip']

describe('A18 A86 A89 F34 an outage', () => {
  it.each(failures)('%s is undecided, then not asked for, then over', async (name, failure, expected) => {
    const clock = setClock()
    const limits = silent.includes(name) ? quick : usual
    let failing = true
    const host = await scriptedEndpoint(() => (failing ? failure : activeAnswer(host.issuer)))
    const { issuer, endpoint } = host
    const server = introspecting({ issuer, endpoint }, clock, limits)
    for (let request = 0; request < 7; request += 1)
      expect(await server.verify(`t${request}`)).toMatchObject({ outcome: 'undecided', retryAfterSeconds: 1 })
    expect(host.seen).toHaveLength(expected)
    failing = false
    clock.advance(1)
    expect(await outcome(server.verify('t'))).toBe('accepted')
    expect(host.seen).toHaveLength(expected + 1)
  })

  it('a stopped server is undecided, and accepted again when it is back', async () => {
    const gone = await scriptedEndpoint(() => ({}))
    await gone.close()
    const server = introspecting({ issuer: gone.issuer, endpoint: gone.endpoint })
    expect(await server.verify('t')).toMatchObject({
      outcome: 'undecided',
      reason: 'introspection: unreachable',
    })
  })

  it.each(['outage', 'disconnect', 'bad-json', 'redirect', 'huge', 'slow', 'hang'] as Fault[])(
    '%s of the metadata is undecided',
    async (fault) => {
      const as = await startAuthorizationServer()
      const clock = setClock()
      const server = introspecting({ issuer: as.issuer }, clock, quick)
      const end = as.fault('metadata', fault)
      expect(await outcome(server.verify(as.mintOpaque({ resource })))).toBe('undecided')
      end()
      if (fault === 'slow') return
      await vi.waitFor(async () => {
        expect(await outcome(server.verify(as.mintOpaque({ resource })))).toBe('accepted')
      })
    },
  )

  it('is HTTP 503 without a challenge at the guard, and says nothing of token, secret or host', async () => {
    const as = await startAuthorizationServer()
    as.fault('introspection', 'outage')
    const guard = createGuard({ resourceServer: introspecting({ issuer: as.issuer }) })
    const token = as.mintOpaque({ resource })
    const decision = await guard.authenticate({
      authorization: [`Bearer ${token}`],
      url: '/mcp',
      method: 'POST',
      target: resource,
      proofs: [],
    })
    expect(decision).toEqual({
      status: 503,
      headers: { 'cache-control': 'no-store', 'retry-after': '1' },
      reason: 'undecided',
      detail: 'introspection: status 500',
    })
  })
})

describe('A89 asking again', () => {
  async function broken() {
    const clock = setClock()
    const state: { answer: Scripted | undefined } = { answer: { status: 500, text: '' } }
    const host = await scriptedEndpoint(() => state.answer ?? activeAnswer(host.issuer))
    const server = introspecting({ issuer: host.issuer, endpoint: host.endpoint }, clock)
    return { clock, state, host, server }
  }

  it('waits 1, 2, 4, 8, 16, 24, 24 seconds, saying how long, with one request each', async () => {
    const { clock, host, server } = await broken()
    for (let request = 0; request < 5; request += 1) await server.verify(`t${request}`)
    let expected = 5
    for (const wait of [1, 2, 4, 8, 16, 24, 24]) {
      expect(await server.verify('t')).toMatchObject({ outcome: 'undecided', retryAfterSeconds: wait })
      clock.advance(wait - 0.001)
      expect(await outcome(server.verify('t'))).toBe('undecided')
      expect(host.seen).toHaveLength(expected)
      clock.advance(0.001)
      const many = await Promise.all(Array.from({ length: 20 }, (_, n) => outcome(server.verify(`p${n}`))))
      expect(new Set(many)).toEqual(new Set(['undecided']))
      expect(host.seen).toHaveLength((expected += 1))
    }
  })

  it('starts over after a success, and four failures are no outage', async () => {
    const { state, host, server } = await broken()
    for (let round = 0; round < 3; round += 1) {
      state.answer = { status: 500, text: '' }
      for (let request = 0; request < 4; request += 1) await server.verify('t')
      state.answer = undefined
      expect(await outcome(server.verify('t'))).toBe('accepted')
    }
    expect(host.seen).toHaveLength(15)
  })

  it('many failures at the same time are one outage of 1 s', async () => {
    const { clock, state, host, server } = await broken()
    await Promise.all(Array.from({ length: 40 }, async (_, n) => server.verify(`t${n}`)))
    expect(host.seen).toHaveLength(40)
    expect(await server.verify('t')).toMatchObject({ retryAfterSeconds: 1 })
    state.answer = undefined
    clock.advance(1)
    expect(await outcome(server.verify('t'))).toBe('accepted')
  })

  it('tokens the server does not want to look at close the door on nobody', async () => {
    const { state, host, server } = await broken()
    state.answer = { active: true, token_type: 'refresh_token' }
    for (let request = 0; request < 20; request += 1) await server.verify(`t${request}`)
    state.answer = undefined
    expect(await outcome(server.verify('t'))).toBe('accepted')
    expect(host.seen).toHaveLength(21)
  })
})

describe('A89 many at once', () => {
  const late: Verification = { outcome: 'undecided', reason: 'introspection: timeout', retryAfterSeconds: 1 }
  const crowded: Verification = {
    outcome: 'undecided',
    reason: 'introspection: too many requests at once',
    retryAfterSeconds: 1,
  }

  it('A88 one token is asked about once', async () => {
    const as = await startAuthorizationServer()
    const release = as.fault('introspection', 'hang')
    const server = introspecting({ issuer: as.issuer })
    const token = as.mintOpaque({ resource })
    const all = Array.from({ length: 50 }, async () => server.verify(token))
    await until(() => as.requests.introspection === 1)
    release()
    expect(new Set(await Promise.all(all)).size).toBe(1)
    expect(as.requests.introspection).toBe(1)
    await server.verify(token)
    expect(as.requests.introspection).toBe(2)
  })

  it('no more than configured are under way, and all are answered', async () => {
    const as = await startAuthorizationServer()
    const release = as.fault('introspection', 'hang')
    const { issuer, introspectionEndpoint: endpoint } = as
    const server = introspecting({ issuer, endpoint, maxConcurrentRequests: 3 })
    const tokens = Array.from({ length: 20 }, () => as.mintOpaque({ resource }))
    const outcomes = tokens.map((token) => outcome(server.verify(token)))
    await until(() => as.requests.introspection === 3)
    for (let round = 0; round < 10; round += 1) await fetch(as.jwksUri)
    expect(as.requests.introspection).toBe(3)
    release()
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['accepted']))
    expect(as.requests.introspection).toBe(20)
  })

  it('whoever finds the queue full is undecided at once; whoever waits too long, too', async () => {
    const host = await scriptedEndpoint(() => () => undefined)
    const { issuer, endpoint } = host
    const limits = { ...quick, waiting: 2 }
    const server = introspecting({ issuer, endpoint, maxConcurrentRequests: 1 }, setClock(), limits)
    const answers = ['a', 'b', 'c', 'd'].map(async (token) => server.verify(token))
    expect(await answers[3]).toEqual(crowded)
    expect(await answers[0]).toEqual(late)
    for (const answer of answers) expect(await outcome(answer)).toBe('undecided')
    await server.close()
  })

  it('whoever waits for a turn gives up in time for those who are asked to be answered: a crowd is no outage', async () => {
    const held: (() => void)[] = []
    const host = await scriptedEndpoint(() => (response) => {
      held.push(() => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(activeAnswer(host.issuer)))
      })
    })
    const { issuer, endpoint } = host
    const limits = { waiting: 1_000, timeoutMilliseconds: 4_000 }
    const server = introspecting({ issuer, endpoint, maxConcurrentRequests: 5 }, setClock(), limits)
    const asked = Array.from({ length: 5 }, (_, index) => outcome(server.verify(`asked-${index}`)))
    await until(() => held.length === 5)
    const waiting = Array.from({ length: 5 }, async (_, index) => server.verify(`waiting-${index}`))
    expect(await Promise.all(waiting)).toEqual(Array(5).fill(crowded))
    for (const answer of held.splice(0)) answer()
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['accepted']))
    const next = outcome(server.verify('next'))
    await until(() => held.length === 1)
    held[0]?.()
    expect(await next).toBe('accepted')
  })

  it('a signer that never answers holds nobody longer than the limit, and frees its place', async () => {
    const host = await scriptedEndpoint(() => activeAnswer(host.issuer))
    const { issuer, endpoint } = host
    let stuck = true
    const registration = {
      ...introspectingRegistration(issuer),
      authenticate: async () => (stuck ? new Promise<void>(() => undefined) : undefined),
    }
    const options = { issuer, endpoint, registration, maxConcurrentRequests: 1 }
    const server = introspecting(options, setClock(), quick)
    expect(await server.verify('a')).toEqual(late)
    stuck = false
    expect(await outcome(server.verify('b'))).toBe('accepted')
  })

  it('what is under way when it closes is undecided, and what comes later', async () => {
    const as = await startAuthorizationServer()
    as.fault('introspection', 'hang')
    const server = introspecting({ issuer: as.issuer, endpoint: as.introspectionEndpoint })
    const held = server.verify(as.mintOpaque({ resource }))
    await until(() => as.requests.introspection === 1)
    await server.close()
    expect(await outcome(held)).toBe('undecided')
    expect(await outcome(server.verify('t'))).toBe('undecided')
  })
})

function introspectingRegistration(issuer: string) {
  return { issuer, clientId: 'c', method: 'private_key_jwt', isMetadataDocument: false, quirks: {} } as const
}
