import type { IncomingMessage, ServerResponse } from 'node:http'
import { loopbackServer } from '../../src/testing/loopback-server.js'

/** A server that repeats whatever it is sent, secrets and all. */
export interface Echo {
  readonly origin: string
  close(): Promise<void>
}

type Answer = (response: ServerResponse, sent: string) => unknown

const json = { 'content-type': 'application/json' }
const inHeader = (text: string) => text.replaceAll(/[^\x20-\x7e]|["\\]/g, '').slice(0, 6_000)
const token = (sent: string) => ({
  access_token: 'a-token-of-an-echo',
  token_type: 'Bearer',
  error_uri: sent,
})

/** Ways to repeat what was sent. */
export const repeated = {
  'an OAuth error': (response, sent) =>
    response.writeHead(400, json).end(JSON.stringify({ error: 'invalid_request', error_description: sent })),
  'an error code': (response, sent) => response.writeHead(400, json).end(JSON.stringify({ error: sent })),
  'a refusal of the client': (response, sent) =>
    response
      .writeHead(401, { ...json, 'www-authenticate': `Basic realm="${inHeader(sent)}"` })
      .end(JSON.stringify({ error: 'invalid_client', error_description: sent })),
  'a page of a failure': (response, sent) =>
    response.writeHead(500, { 'content-type': 'text/html', 'x-echo': inHeader(sent) }).end(sent),
  'a status in words of its own': (response, sent) =>
    response.writeHead(418, inHeader(sent).slice(0, 500)).end(),
  'a time to wait': (response, sent) => response.writeHead(503, { 'retry-after': inHeader(sent) }).end(sent),
  'a redirect': (response, sent) =>
    response.writeHead(302, { location: `/?${encodeURIComponent(sent.slice(0, 2_000))}` }).end(sent),
  'broken JSON': (response, sent) => response.writeHead(200, json).end(`{"access_token":"${sent}`),
  'a type of token': (response, sent) =>
    response.writeHead(200, json).end(JSON.stringify({ ...token(sent), token_type: sent, active: sent })),
  'a nonce': (response, sent) =>
    response
      .writeHead(400, { ...json, 'dpop-nonce': inHeader(sent).replaceAll(' ', '') })
      .end(JSON.stringify({ error: 'use_dpop_nonce', error_description: sent })),
  'a token that is no text': (response, sent) =>
    response.writeHead(200, json).end(JSON.stringify({ ...token(sent), access_token: { sent } })),
} satisfies Readonly<Record<string, Answer>>

/** An authorization server with good metadata that repeats whatever its endpoints are sent. */
export async function echoingServer(way: keyof typeof repeated): Promise<Echo> {
  const server = await loopbackServer((request, response) => void serve(request, response))
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = `${request.url} ${JSON.stringify(request.headers)} ${await bodyOf(request)}`
    if (request.url?.startsWith('/.well-known/') === true)
      response.writeHead(200, json).end(JSON.stringify(metadata(server.origin)))
    else repeated[way](response, sent)
  }
  return server
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function metadata(issuer: string): object {
  const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange'
  const assertion = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    introspection_endpoint: `${issuer}/introspect`,
    revocation_endpoint: `${issuer}/revoke`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', exchange, assertion],
    token_endpoint_auth_methods_supported: [
      'none',
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
    ],
    token_endpoint_auth_signing_alg_values_supported: ['ES256'],
    identity_chaining_requested_token_types_supported: ['urn:ietf:params:oauth:token-type:id-jag'],
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    code_challenge_methods_supported: ['S256'],
    dpop_signing_alg_values_supported: ['ES256'],
  }
}
