import type { IncomingMessage, ServerResponse } from 'node:http'
import { issuerMetadataUrls } from '../oauth/issuer-metadata-urls.js'
import { faultInjection, type Endpoint, type Fault } from './fault-injection.js'
import { answerIntrospection, type IntrospectionRequest } from './introspection-endpoint.js'
import { loopbackServer } from './loopback-server.js'
import { answerTokenRequest, type TestClient } from './token-endpoint.js'
import { tokenExchangeGrant } from './token-exchange.js'
import { tokenMint, type MintedTokens, type TokenMint } from './token-mint.js'

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
export interface TestAuthorizationServer extends TokenMint {
  /** `http://127.0.0.1:<port>` with the issuer path, without trailing slash. */
  readonly issuer: string
  readonly jwksUri: string
  readonly tokenEndpoint: string
  readonly introspectionEndpoint: string
  /** How many requests each endpoint has seen. */
  readonly requests: Readonly<Record<Endpoint, number>>
  /** Makes an endpoint fail until the returned function is called. */
  fault(endpoint: Endpoint, fault: Fault): () => void
  /** Ends all faults, drops all connections and stops listening. */
  close(): Promise<void>
}

/**
 * Starts an authorization server for tests: RFC 8414 metadata, key set, token endpoint for
 * `client_credentials` and token exchange,
 * introspection endpoint (RFC 7662, signed on request as in RFC 9701).
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
  const requests: Record<Endpoint, number> = { metadata: 0, jwks: 0, token: 0, introspection: 0 }
  const faults = faultInjection()
  const server = await loopbackServer((request, response) => void serve(request, response))
  const issuer = server.origin + (options.issuerPath ?? '')
  const metadataUrls = issuerMetadataUrls(issuer)
  const metadataUrl = (options.metadataAt === 'openid' ? metadataUrls.at(-1) : metadataUrls[0]) ?? ''
  const { mint, minted } = await tokenMint(issuer)
  const endpoints = endpointsOf(issuer, metadataUrl, clients, mint, minted)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const endpoint = endpoints.get(server.origin + (request.url ?? ''))
    if (endpoint === undefined) return void response.writeHead(404).end()
    const [name, answer] = endpoint
    requests[name] += 1
    if (await faults.intercept(name, response)) return
    const { status, contentType, body } = await answer(request)
    response.writeHead(status, {
      'content-type': contentType ?? 'application/json',
      'cache-control': 'no-store',
    })
    response.end(contentType === undefined ? JSON.stringify(body) : body)
  }

  return {
    issuer,
    jwksUri: `${issuer}/jwks`,
    tokenEndpoint: `${issuer}/token`,
    introspectionEndpoint: `${issuer}/introspect`,
    requests,
    ...mint,
    fault: (endpoint, fault) => faults.begin(endpoint, fault),
    async close() {
      faults.clear()
      await server.close()
    },
  }
}

type Answering = (request: IncomingMessage) => Answer | Promise<Answer>

/** What stands at which URL. */
function endpointsOf(
  issuer: string,
  metadataUrl: string,
  clients: readonly TestClient[],
  mint: TokenMint,
  minted: MintedTokens,
): ReadonlyMap<string, readonly [Endpoint, Answering]> {
  const jwks: Answering = () => ({ status: 200, body: { keys: mint.publishedKeys() } })
  const token: Answering = async (request) =>
    answerTokenRequest(await formRequest(request), clients, (options) => mint.mint(options), minted.find)
  const introspection: Answering = async (request) =>
    answerIntrospection(await formRequest(request), issuer, clients, minted)
  return new Map<string, readonly [Endpoint, Answering]>([
    [metadataUrl, ['metadata', () => ({ status: 200, body: metadata(issuer) })]],
    [`${issuer}/jwks`, ['jwks', jwks]],
    [`${issuer}/token`, ['token', token]],
    [`${issuer}/introspect`, ['introspection', introspection]],
  ])
}

/** JSON unless it names another content type and holds text. */
interface Answer {
  readonly status: number
  readonly contentType?: string
  readonly body: unknown
}

/** The official SDK's client reads no metadata without an `authorization_endpoint`; nothing answers there. */
function metadata(issuer: string): unknown {
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    introspection_endpoint: `${issuer}/introspect`,
    response_types_supported: ['code'],
    grant_types_supported: ['client_credentials', tokenExchangeGrant],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  }
}

async function formRequest(request: IncomingMessage): Promise<IntrospectionRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { authorization, accept } = request.headers
  return { authorization, accept, body: Buffer.concat(chunks).toString('utf8') }
}
