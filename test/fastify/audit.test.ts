import { definePrompt, defineResourceTemplate, defineTool, user } from 'castellan'
import mcp, { handle, type AuditEvent } from 'castellan/fastify'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { badTokenKinds } from 'castellan/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { modern, post, rawExchange, rawPost } from '../wire.js'
import { basic, listenGuarded, resource, whoami, writing } from './guarded.js'
import { api, protectedApp } from './protected-app.js'
import { listen } from './server.js'

const canary = 'canary-7f3a'

/** Collects events; each is checked for what must never be in one. */
function trail() {
  const events: AuditEvent[] = []
  const audit = (event: AuditEvent) => void events.push(event)
  const take = () => {
    const taken = events.splice(0)
    const text = JSON.stringify(taken)
    expect(text).not.toContain(canary)
    expect(text).not.toContain('eyJ')
    return taken
  }
  return { audit, take }
}

const alice = { subject: 'alice', clientId: 'test-client' }

describe('an MCP endpoint', () => {
  const note = handle(
    defineResourceTemplate({
      uriTemplate: 'notes://note/{id}',
      name: 'note',
      mimeType: 'text/plain',
      scopes: [],
    }),
    ({ id }) => id,
  )
  const greeting = definePrompt({ name: 'greeting', messages: [user('Hello')], scopes: [] })
  const echo = handle(
    defineTool({ name: 'echo', description: 'x', input: z.object({ text: z.string() }), scopes: [] }),
    ({ text }) => text,
  )

  async function audited(options = {}) {
    const { audit, take } = trail()
    const server = await listenGuarded({
      audit,
      origins: ['https://app.example.com'],
      tools: [whoami, basic, writing, echo],
      resources: [note],
      prompts: [greeting],
      ...options,
    })
    onTestFinished(() => server.stop())
    const call = async (method: string, params = {}, headers: Record<string, string> = {}) => {
      await post(server.url, modern(method, params, { headers }))
      return take()
    }
    const bearer = (scopes?: readonly string[]) => server.bearer(scopes)
    return { ...server, call, take, bearer }
  }

  test('A101 every reason is exactly one refused event without an operation', async () => {
    const { url, port, as, call, take, bearer } = await audited()
    const refused = (reason: string) => [
      {
        time: expect.any(Number) as number,
        outcome: 'refused',
        reason,
        requestId: expect.any(String) as string,
      },
    ]
    const good = await bearer()
    expect(await call('tools/list', {}, { origin: `https://${canary}.example.com` })).toEqual(
      refused('origin'),
    )
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      await fetch(`${url}?${canary}`, { method, headers: { authorization: `Bearer ${canary}` } })
      expect(take(), method).toEqual(refused('method'))
    }
    await post(`${url}?access_token=${canary}`, modern('tools/list', {}, { headers: good }))
    expect(take()).toEqual(refused('query-token'))
    const line = `Authorization: Bearer ${canary}`
    await rawExchange(port, [rawPost('/mcp', [line, line, 'Content-Type: application/json'], '{}')])
    expect(take()).toEqual(refused('several-credentials'))
    expect(await call('tools/list')).toEqual(refused('no-credentials'))
    expect(await call('tools/list', {}, { authorization: `Bearer ${canary} x` })).toEqual(
      refused('malformed'),
    )
    for (const kind of badTokenKinds) {
      const token = await as.mintBad(kind, { resource, scopes: ['mcp'], subject: canary })
      const events = await call('tools/list', {}, { authorization: `Bearer ${token}` })
      expect(events, kind).toEqual(refused(expect.stringMatching(/^[a-z-]+$/) as never))
    }
  })

  test('A18 a verifier that cannot decide is one undecided event', async () => {
    const { as, call, bearer } = await audited()
    as.fault('jwks', 'outage')
    expect(await call('tools/list', {}, await bearer())).toMatchObject([
      { outcome: 'undecided', reason: 'undecided' },
    ])
  })

  test('A20 A101 missing scopes are one refused event with principal and operation', async () => {
    const { as, call, bearer } = await audited()
    const events = await call('tools/call', { name: 'writing', arguments: { canary } }, await bearer())
    expect(events).toMatchObject([
      {
        outcome: 'refused',
        reason: 'insufficient-scope',
        operation: { method: 'tools/call', name: 'writing' },
        principal: { issuer: as.issuer, ...alice },
      },
    ])
  })

  test.each([
    ['tools/list', {}, undefined],
    ['server/discover', {}, undefined],
    ['tools/call', { name: 'echo', arguments: { text: canary } }, 'echo'],
    ['tools/call', { name: 'echo', arguments: { wrong: canary } }, 'echo'],
    ['tools/call', { name: canary }, undefined],
    ['resources/read', { uri: `notes://note/${canary}` }, 'note'],
    ['resources/read', { uri: `other://${canary}` }, undefined],
    ['prompts/get', { name: 'greeting' }, 'greeting'],
    ['prompts/get', { name: canary }, undefined],
  ])('%s %j is one allowed event', async (method, params, name) => {
    const { as, call, bearer } = await audited()
    const [event, ...more] = await call(method, params, await bearer())
    expect(more).toEqual([])
    expect(event).toEqual({
      time: expect.any(Number) as number,
      outcome: 'allowed',
      operation: name === undefined ? { method } : { method, name },
      principal: { issuer: as.issuer, ...alice },
      requestId: expect.any(String) as string,
    })
  })

  test('a legacy request is told of like any other', async () => {
    const { url, take, bearer } = await audited()
    const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' }
    const request = {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'writing' } },
      headers,
    }
    await post(url, request)
    expect(take()).toMatchObject([{ outcome: 'refused', reason: 'no-credentials' }])
    const weak = { ...request, headers: { ...headers, ...(await bearer()) } }
    await post(url, weak)
    expect(take()).toMatchObject([
      { outcome: 'refused', operation: { method: 'tools/call', name: 'writing' } },
    ])
    const strong = { ...request, headers: { ...headers, ...(await bearer(['notes:write'])) } }
    await post(url, strong)
    expect(take()).toMatchObject([
      { outcome: 'allowed', operation: { method: 'tools/call', name: 'writing' } },
    ])
  })

  test('what is hidden from a caller is refused to it, whatever it is told', async () => {
    const { call, bearer } = await audited({ hideUnauthorized: true })
    expect(await call('tools/call', { name: 'writing' }, await bearer())).toMatchObject([
      { outcome: 'refused', reason: 'insufficient-scope', operation: { name: 'writing' } },
    ])
  })

  test('what is no question of access is no event', async () => {
    const { url, take, call, bearer } = await audited()
    const good = await bearer()
    const json = { 'content-type': 'application/json', ...good }
    await post(url, { body: '{', headers: json })
    await post(url, { body: '{}', headers: { ...json, 'content-type': 'text/plain' } })
    await post(url, { body: { jsonrpc: '2.0', method: 'notifications/x' }, headers: json })
    expect(take()).toEqual([])
    expect(await call('no/such', {}, good)).toEqual([])
  })

  test('an open server tells whom it let in without a principal, and whom not', async () => {
    const { audit, take } = trail()
    const { app } = await listen({ audit })
    onTestFinished(() => app.close())
    const { body, headers } = modern('server/discover')
    const request: InjectOptions = { method: 'POST', url: '/mcp', payload: body as object }
    await app.inject({ ...request, headers: { ...headers, host: 'localhost' } })
    expect(take()).toMatchObject([{ outcome: 'allowed', operation: { method: 'server/discover' } }])
    await app.inject({ ...request, headers: { ...headers, host: `${canary}.example.com` } })
    expect(take()).toMatchObject([{ outcome: 'refused', reason: 'not-local' }])
  })
})

describe('a protected context', () => {
  const routes = (app: FastifyInstance) => {
    app.get('/notes/:id', { config: { scopes: ['notes:read'] } }, () => 'note')
  }
  const one = { route: 'GET /notes/:id' }

  test('A101 every decision is exactly one event that names the route and not its values', async () => {
    const { audit, take } = trail()
    const { app, as, bearer } = await protectedApp(routes, { audit })
    const principal = { issuer: as.issuer, ...alice }
    const ask = async (headers: Record<string, string>, url = `/notes/${canary}?q=${canary}`) => {
      await app.inject({ url, headers })
      return take()
    }
    expect(await ask({})).toMatchObject([{ outcome: 'refused', reason: 'no-credentials', operation: one }])
    expect(await ask({}, `/x?access_token=${canary}`)).toMatchObject([{ reason: 'query-token' }])
    expect(await ask({ authorization: `Bearer ${canary}!` })).toMatchObject([{ reason: 'malformed' }])
    const foreign = await bearer(['notes:read'], 'https://api.example.com/other')
    expect(await ask(foreign)).toMatchObject([{ outcome: 'refused', reason: 'audience' }])
    expect(await ask(await bearer())).toMatchObject([
      { outcome: 'refused', reason: 'insufficient-scope', operation: one, principal },
    ])
    expect(await ask(await bearer(['notes:read']))).toMatchObject([
      { outcome: 'allowed', operation: one, principal },
    ])
    const [nowhere] = await ask(await bearer(), `/${canary}`)
    expect(nowhere).toMatchObject({ outcome: 'allowed', principal })
    expect(nowhere).not.toHaveProperty('operation')
    expect(nowhere).not.toHaveProperty('reason')
  })

  test('A18 undecided is one event', async () => {
    const { audit, take } = trail()
    const { app, as, bearer } = await protectedApp(routes, { audit })
    as.fault('jwks', 'outage')
    await app.inject({ url: '/notes/1', headers: await bearer() })
    expect(take()).toMatchObject([{ outcome: 'undecided', reason: 'undecided', operation: one }])
  })

  test('A100 events are frozen all through', async () => {
    const { audit, take } = trail()
    const { app, bearer } = await protectedApp(routes, { audit })
    await app.inject({ url: '/notes/1', headers: await bearer(['notes:read']) })
    const [event] = take()
    expect([event, event?.operation, event?.principal].every(Object.isFrozen)).toBe(true)
  })

  test('A21 a client that goes away during verification is nobody', async () => {
    const { audit, take } = trail()
    let aborted: () => void = () => undefined
    const noticed = new Promise<void>((resolve) => (aborted = resolve))
    const {
      as,
      auth,
      listen: start,
    } = await protectedApp(
      (app) => {
        app.addHook('onRequestAbort', (_request, done) => {
          aborted()
          done()
        })
        routes(app)
      },
      { audit },
    )
    const url = await start()
    const token = await as.mintBad('wrong-key', { resource: api })
    const recover = as.fault('jwks', 'hang')
    const abort = new AbortController()
    const headers = { authorization: `Bearer ${token}` }
    const gone = fetch(`${url}/notes/1`, { headers, signal: abort.signal })
    await expect.poll(() => as.requests.jwks).toBe(1)
    const verdict = auth.verify(token)
    abort.abort()
    await expect(gone).rejects.toThrow()
    await noticed
    recover()
    expect(await verdict).toMatchObject({ outcome: 'refused' })
    await new Promise((resolve) => setImmediate(resolve))
    expect(take()).toEqual([])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('one that %s changes no answer and is logged once', async (_how, fail) => {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const { app, bearer } = await protectedApp(routes, { audit: fail }, { logger: { stream } })
    const headers = await bearer(['notes:read'])
    for (const expected of [200, 200, 401]) {
      const answer = await app.inject({ url: '/notes/1', headers: expected === 200 ? headers : {} })
      expect(answer.statusCode).toBe(expected)
    }
    expect(lines.filter((line) => line.includes('The audit function failed'))).toHaveLength(1)
  })

  test('one that is no function stops the start', async () => {
    await expect(protectedApp(routes, { audit: 'log' as never })).rejects.toMatchObject({
      code: 'ERR_OPTION',
    })
    const start = protectedApp(
      (app, auth) => app.register(mcp, { path: '/mcp', name: 'x', version: '1', auth, audit: {} as never }),
      'bare',
    )
    await expect(start).rejects.toMatchObject({ code: 'ERR_OPTION' })
  })
})
