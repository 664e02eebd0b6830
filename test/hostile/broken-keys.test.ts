import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import mcp from 'castellan/fastify'
import { createGuard, jwtResourceServer, type ResourceServer } from 'castellan/resource-server'
import Fastify from 'fastify'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { resource, startAuthorizationServer } from '../resource-server/fixture.js'

const unseen: unknown[] = []
const collect = (reason: unknown) => void unseen.push(reason)
process.on('unhandledRejection', collect)
afterEach(() => {
  expect(unseen.splice(0)).toEqual([])
})

async function keysEndpoint(body: string): Promise<string> {
  const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
}

const json = { 'content-type': 'application/json' }

describe('keys nobody can use', () => {
  test.each([3_000, 7_000, 60_000])(
    'A18 A71 a key nested %d levels deep is undecided and ends nothing',
    async (depth) => {
      const as = await startAuthorizationServer()
      const key = `{"kty":"RSA","x":${'['.repeat(depth)}${']'.repeat(depth)}}`
      const jwksUri = await keysEndpoint(`{"keys":[${key}]}`)
      const auth = jwtResourceServer({ resource, issuer: as.issuer, jwksUri, allowLoopbackHttp: true })
      onTestFinished(() => auth.close())
      const token = await as.mint({ resource, scopes: [], subject: 'alice' })
      expect((await auth.verify(token)).outcome).not.toBe('accepted')
      const app = Fastify()
      onTestFinished(() => app.close())
      await app.register(mcp, { path: '/mcp', name: 'n', version: '1', auth })
      const headers = { ...json, authorization: `Bearer ${token}` }
      const { statusCode } = await app.inject({ method: 'POST', url: '/mcp', headers, payload: '{}' })
      expect([401, 503]).toContain(statusCode)
    },
  )
})

describe('resource servers that break their word', () => {
  const broken: [string, () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['gives nothing', () => undefined],
    ['promises nothing', () => Promise.resolve(null)],
  ]

  test.each(broken)(
    'A18 one that %s lets nobody in and is 503 without a challenge',
    async (_what, verify) => {
      const auth = {
        resource,
        issuers: ['https://login.example.com'],
        verify,
        close: () => Promise.resolve(),
      } as ResourceServer
      expect(
        await createGuard({ resourceServer: auth }).authenticate({
          method: 'POST',
          target: resource,
          proofs: [],
          authorization: ['Bearer x'],
          url: '/',
        }),
      ).toMatchObject({ status: 503, reason: 'undecided' })
      const app = Fastify()
      onTestFinished(() => app.close())
      await app.register(mcp, { path: '/mcp', name: 'n', version: '1', auth })
      const headers = { ...json, authorization: 'Bearer x' }
      const answer = await app.inject({ method: 'POST', url: '/mcp', headers, payload: '{}' })
      expect(answer.statusCode).toBe(503)
      expect(answer.headers).not.toHaveProperty('www-authenticate')
      expect(answer.body).toBe('')
    },
  )
})

describe('options', () => {
  test.each([
    [{ maxCachedTokens: 1.5 }, 'maxCachedTokens'],
    [{ keys: {} }, 'keys'],
    [{ keys: [null] }, 'keys'],
    [{ algorithms: 'RS256' }, 'algorithms'],
    [{ impliedScopes: { a: 'read' } }, 'impliedScopes'],
  ])('%j is refused by name', (wrong, name) => {
    const options = { resource, issuer: 'https://login.example.com', ...wrong } as never
    expect(() => jwtResourceServer(options)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION', message: expect.stringContaining(`\`${name}\``) }),
    )
  })
})
