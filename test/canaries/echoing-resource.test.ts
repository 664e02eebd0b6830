import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createClient, httpCaller } from 'castellan/client'
import { testAuthorizationServer } from 'castellan/testing'
import {
  authorizationCodeTransport,
  clientCredentialsTransport,
  publicClient,
  secretBasic,
} from 'castellan/transports'
import { describe, expect, onTestFinished, test } from 'vitest'
import { whoami } from '../fastify/guarded.js'
import { ask, consentOf, redirectUri, webClient } from '../transports/authorization-code/web-app.js'
import { canaries } from './canaries.js'
import { bodyOf } from './echoes.js'
import { recordedStore } from './recorded-store.js'
import { canary } from './secrets.js'

const loopback = { allowLoopbackHttp: true } as const
const job = { clientId: 'job', clientSecret: canary('client-secret') }
const json = { 'content-type': 'application/json' }

type Answer = (response: ServerResponse, token: string) => unknown

const challenge = (parameters: string) => ({ 'www-authenticate': `Bearer ${parameters}` })

const ways: Readonly<Record<string, Answer>> = {
  'a challenge': (response, token) =>
    response.writeHead(401, challenge(`error="invalid_token", error_description="${token}"`)).end(token),
  'a challenge of another scheme': (response, token) =>
    response.writeHead(401, { 'www-authenticate': `Custom token="${token}"` }).end(token),
  'a refusal that is about no scope': (response, token) =>
    response.writeHead(403, { ...challenge(`error="denied", realm="${token}"`), ...json }).end(`"${token}"`),
  'a failure': (response, token) => response.writeHead(500, { 'x-token': token }).end(`<p>${token}`),
  'a status in words of its own': (response, token) => response.writeHead(418, token).end(),
  'a redirect': (response, token) => response.writeHead(302, { location: `/?token=${token}` }).end(token),
  'what is no JSON': (response, token) => response.writeHead(200, json).end(`{"jsonrpc":"2.0","${token}`),
  'a text': (response, token) => response.writeHead(200, { 'content-type': 'text/plain' }).end(token),
  'a type': (response, token) => response.writeHead(200, { 'content-type': `text/${token}` }).end('{}'),
  'an id': (response, token) =>
    response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: token, result: {} })),
  'a result that is none': (response, token) =>
    response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { [token]: token } })),
  'events that are none': (response, token) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${token}\n\nevent: ${token}\n\n`),
  'an event that is cut off': (response, token) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: {"${token}`)
    setImmediate(() => response.destroy())
  },
}

/** A protected resource that repeats the token it is shown. */
async function echoingResource(issuer: string, answer: Answer) {
  const server = createServer((request, response) => void serve(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const endpoint = `${origin}/mcp`
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await bodyOf(request)
    const token = request.headers.authorization?.split(' ')[1]
    if (request.url?.startsWith('/.well-known/') === true) {
      const metadata = { resource: endpoint, authorization_servers: [issuer], scopes_supported: ['mcp'] }
      response.writeHead(200, json).end(JSON.stringify(metadata))
    } else if (token === undefined) response.writeHead(401, challenge('scope="mcp"')).end()
    else answer(response, token)
  }
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return endpoint
}

describe('G26 B89 nothing is said of a token that a resource repeats in', () => {
  test.each(Object.entries(ways))('%s', async (_, answer) => {
    const found = canaries()
    const as = await testAuthorizationServer({ clients: [job, webClient] })
    onTestFinished(() => as.close())
    const endpoint = await echoingResource(as.issuer, answer)
    const store = recordedStore(found.secrets)
    const options = { endpoint, ...loopback }
    const registration = secretBasic({ ...job, issuer: as.issuer, ...loopback })
    const transport = clientCredentialsTransport({ ...options, registration, store })
    const client = createClient(httpCaller({ clientInfo: { name: 'job', version: '1.0.0' }, transport }))
    await found.attempt(client.call(whoami.definition, {}))
    await found.attempt(client.callRaw('whoami', {}))
    const consent = authorizationCodeTransport.forWeb({
      ...options,
      registration: publicClient({ issuer: as.issuer, clientId: 'web', ...loopback }),
      redirectUri,
      store: () => store,
    })
    const { url } = await consentOf(ask(consent))
    await consent.finish('alice', await as.consent(url))
    await found.attempt(ask(consent))
    found.seen('transport', client, transport, consent)
    await Promise.all([client.close(), consent.close()])
    expect(found.heard.get('error')).toBeGreaterThan(2)
    found.expectSilence('access_token', 'refresh_token', 'client_secret', 'code')
  })
})
