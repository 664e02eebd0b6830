import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JWK } from 'jose'
import { issuerMetadataUrls } from '../oauth/issuer-metadata-urls.js'
import { mintBadToken, type BadTokenKind } from './bad-token.js'
import { faultInjection, type Endpoint, type Fault } from './fault-injection.js'
import { loopbackServer } from './loopback-server.js'
import { mintAccessToken, type MintOptions } from './mint.js'
import { signingKey } from './signing-key.js'
import { answerTokenRequest, type TestClient } from './token-endpoint.js'

/** Options of `testAuthorizationServer`. */
export interface TestAuthorizationServerOptions {
  /** Path of the issuer, for example `/tenant`. Default none. */
  readonly issuerPath?: string
  /** Clients of the token endpoint. Default one: `test-client` with secret `test-secret`. */
  readonly clients?: readonly TestClient[]
  /** Whether metadata stands at the OAuth place (RFC 8414, default) or only at the appended OpenID one. */
  readonly metadataAt?: 'oauth' | 'openid'
}

/** A real authorization server on a loopback port, with a mint for tokens good and bad. */
export interface TestAuthorizationServer {
  /** `http://127.0.0.1:<port>` with the issuer path, without trailing slash. */
  readonly issuer: string
  readonly jwksUri: string
  readonly tokenEndpoint: string
  /** How many requests each endpoint has seen. */
  readonly requests: Readonly<Record<Endpoint, number>>
  /** The keys published now. */
  publishedKeys(): readonly JWK[]
  /** Mints an RFC 9068 access token with the present key. */
  mint(options: MintOptions): Promise<string>
  /** Mints a token with one defect. */
  mintBad(kind: BadTokenKind, options: MintOptions): Promise<string>
  /** Signs with a new key from now on; the old key stays published with `keepOld`, and keeps its name with `sameKid`. */
  rotateKeys(options?: { readonly keepOld?: boolean; readonly sameKid?: boolean }): Promise<void>
  /** Publishes exactly these keys until the next rotation; signing goes on with the present key. */
  publishKeys(keys: readonly unknown[]): void
  /** Makes an endpoint fail until the returned function is called. */
  fault(endpoint: Endpoint, fault: Fault): () => void
  /** Ends all faults, drops all connections and stops listening. */
  close(): Promise<void>
}

/**
 * Starts an authorization server for tests: RFC 8414 metadata, key set, `client_credentials` token endpoint.
 *
 * It listens on 127.0.0.1 over plain HTTP, so a resource server needs `allowLoopbackHttp: true` to trust it.
 *
 * @example
 * const as = await testAuthorizationServer()
 * const token = await as.mint({ resource, scopes: ['notes:read'], subject: 'alice' })
 * await as.close()
 */
export async function testAuthorizationServer(
  options: TestAuthorizationServerOptions = {},
): Promise<TestAuthorizationServer> {
  const clients = options.clients ?? [{ clientId: 'test-client', clientSecret: 'test-secret' }]
  const requests: Record<Endpoint, number> = { metadata: 0, jwks: 0, token: 0 }
  const faults = faultInjection()
  let key = await signingKey()
  let published: readonly unknown[] = [key.publicJwk]

  const server = await loopbackServer((request, response) => void serve(request, response))
  const issuer = server.origin + (options.issuerPath ?? '')
  const jwksUri = `${issuer}/jwks`
  const tokenEndpoint = `${issuer}/token`
  const metadataUrls = issuerMetadataUrls(issuer)
  const metadataUrl = options.metadataAt === 'openid' ? metadataUrls.at(-1) : metadataUrls[0]
  const mint = (wanted: MintOptions) => mintAccessToken(issuer, key, wanted)
  const endpoints = new Map<string, [Endpoint, (request: IncomingMessage) => Answer | Promise<Answer>]>([
    [
      metadataUrl ?? '',
      ['metadata', () => ({ status: 200, body: metadata(issuer, jwksUri, tokenEndpoint) })],
    ],
    [jwksUri, ['jwks', () => ({ status: 200, body: { keys: published } })]],
    [
      tokenEndpoint,
      ['token', async (request) => answerTokenRequest(await tokenRequest(request), clients, mint)],
    ],
  ])

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const endpoint = endpoints.get(server.origin + (request.url ?? ''))
    if (endpoint === undefined) return void response.writeHead(404).end()
    const [name, answer] = endpoint
    requests[name] += 1
    if (await faults.intercept(name, response)) return
    const { status, body } = await answer(request)
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    response.end(JSON.stringify(body))
  }

  return {
    issuer,
    jwksUri,
    tokenEndpoint,
    requests,
    publishedKeys: () => published as readonly JWK[],
    mint,
    mintBad: (kind, wanted) => mintBadToken(issuer, key, kind, wanted),
    async rotateKeys({ keepOld = false, sameKid = false } = {}) {
      const old = key
      key = await signingKey(sameKid ? old.kid : undefined)
      published = keepOld ? [key.publicJwk, old.publicJwk] : [key.publicJwk]
    },
    publishKeys: (keys) => void (published = keys),
    fault: (endpoint, fault) => faults.begin(endpoint, fault),
    async close() {
      faults.clear()
      await server.close()
    },
  }
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** The official SDK's client reads no metadata without an `authorization_endpoint`; nothing answers there. */
function metadata(issuer: string, jwksUri: string, tokenEndpoint: string): unknown {
  return {
    issuer,
    jwks_uri: jwksUri,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: tokenEndpoint,
    response_types_supported: ['code'],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  }
}

async function tokenRequest(
  request: IncomingMessage,
): Promise<{ authorization: string | undefined; body: string }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return { authorization: request.headers.authorization, body: Buffer.concat(chunks).toString('utf8') }
}
