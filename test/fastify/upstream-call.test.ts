import { defineTool } from 'castellan'
import { handle } from 'castellan/fastify'
import { secretBasic, tokenExchange, type TokenExchange } from 'castellan/resource-server'
import { decodeJwt } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { modern, post } from '../wire.js'
import { injectWith } from '../../src/fastify/in-process-request.js'
import { listenGuarded } from './guarded.js'
import { protectedApp } from './protected-app.js'

const upstream = 'https://calendar.example.com'

function exchangeAt(issuer: string): TokenExchange {
  const exchange = tokenExchange({
    registration: secretBasic({
      issuer,
      clientId: 'test-client',
      clientSecret: 'test-secret',
      allowLoopbackHttp: true,
    }),
    resource: upstream,
    allowLoopbackHttp: true,
  })
  onTestFinished(() => exchange.close())
  return exchange
}

test('A99 A115 G24 a tool calls an upstream in the name of its caller, and never sees the token of the caller', async () => {
  const upstreams: TokenExchange[] = []
  const calendar = handle(
    defineTool({ name: 'calendar', description: 'Asks an upstream', scopes: [] }),
    async (_input, { principal, signal }) => {
      const { accessToken } = (await upstreams[0]?.(principal, { signal })) ?? { accessToken: '' }
      const { aud, sub } = decodeJwt(accessToken)
      return `${String(aud)} ${sub ?? ''}`
    },
  )
  const server = await listenGuarded({ tools: [calendar] })
  onTestFinished(() => server.stop())
  upstreams.push(exchangeAt(server.as.issuer))
  const headers = await server.bearer(['mcp'], 'bob')
  const call = modern('tools/call', { name: 'calendar' }, { headers })
  expect((await post(server.url, call)).text).toContain(`${upstream} bob`)
  expect((await post(server.url, call)).text).toContain(`${upstream} bob`)
  expect(server.as.requests.token).toBe(1)
})

test('a protected route does so as well, also with a principal handed over in process', async () => {
  const upstreams: TokenExchange[] = []
  const { app, as, bearer } = await protectedApp((host, auth) => {
    host.get('/calendar', async ({ principal }) => {
      const { accessToken } = (await upstreams[0]?.(principal)) ?? { accessToken: '' }
      return decodeJwt(accessToken).aud
    })
    host.get('/through', async ({ principal }) => {
      return (await injectWith(app, { caller: { principal, auth } }, { url: '/calendar' })).body
    })
  })
  upstreams.push(exchangeAt(as.issuer))
  expect((await app.inject({ url: '/calendar', headers: await bearer() })).body).toBe(upstream)
  expect((await app.inject({ url: '/through', headers: await bearer() })).body).toBe(upstream)
})
