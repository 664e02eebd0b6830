import type { IncomingMessage, ServerResponse } from 'node:http'
import { issuerMetadataUrls } from '../oauth/issuer-metadata-urls.js'
import {
  assertionGrants,
  type AlterableAnswer,
  type AssertionGrants,
  type AssertionRules,
} from './assertion-grants.js'
import { answerAuthorization, type ConsentAnswer } from './authorization-endpoint.js'
import { boundKeys, type BoundKeys } from './bound-key.js'
import { faultInjection, type Endpoint, type Fault } from './fault-injection.js'
import { answerIntrospection, type IntrospectionRequest } from './introspection-endpoint.js'
import type { AlteredAnswer } from './id-jag.js'
import { loopbackServer } from './loopback-server.js'
import type { SignOn } from './sign-on.js'
import type { TestClient } from './test-client.js'
import { answerTokenRequest, authenticatedClient } from './token-endpoint.js'
import type { MintOptions } from './mint.js'
import { tokenExchangeGrant } from './token-exchange.js'
import { tokenMint, type MintedTokens, type TokenMint } from './token-mint.js'
import { userGrants, type RefreshTokens, type UserGrants } from './user-grants.js'

/** Options of `testAuthorizationServer`. */
export interface TestAuthorizationServerOptions {
  /** Path of the issuer, for example `/tenant`. Default none. */
  readonly issuerPath?: string
  /** Clients of the token endpoint. Default one: `test-client` with secret `test-secret`. */
  readonly clients?: readonly TestClient[]
  /** Whether metadata stands at the OAuth place (RFC 8414, default) or only at the appended OpenID one. */
  readonly metadataAt?: 'oauth' | 'openid'
  /** Other members of the metadata, or other values; `undefined` leaves one out. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** What clients get that act for users. Default `rotating`. */
  readonly refreshTokens?: RefreshTokens
  /** Lifetime of the access tokens of users. Default 300. */
  readonly accessTokenSeconds?: number
  /** Whose assertions are redeemed, and what its clients are called elsewhere. */
  readonly assertions?: AssertionRules
  /** Whether proofs at the token endpoint must name a nonce. Default false. */
  readonly dpopNonces?: boolean
}

/** A real authorization server on a loopback port, with a mint for tokens good and bad. */
export interface TestAuthorizationServer extends TokenMint {
  /** `http://127.0.0.1:<port>` with the issuer path, without trailing slash. */
  readonly issuer: string
  readonly jwksUri: string
  readonly tokenEndpoint: string
  readonly introspectionEndpoint: string
  readonly authorizationEndpoint: string
  /** How many requests each endpoint has seen. */
  readonly requests: Readonly<Record<Endpoint, number>>
  /** The parameters of every request at the authorization, token and revocation endpoints. */
  readonly received: readonly {
    readonly endpoint: Endpoint
    readonly parameters: Readonly<Record<string, string>>
  }[]
  /** Is the browser of a user: opens the URL of an authorization request, answers, and gives the URL the user is sent back to. */
  consent(url: string | URL, answer?: ConsentAnswer): Promise<string>
  /** Signs a user in for a client, as an identity provider: gives what token exchanges for ID-JAGs show. */
  signOn(signOn: SignOn): Promise<string>
  /** Alters the answers to exchanges of sign-ons, or to redemptions of assertions, until the returned function is called. */
  alter(which: AlterableAnswer, altered: AlteredAnswer): () => void
  /** Asks for another nonce in proofs at the token endpoint from now on. */
  rotateDpopNonce(): void
  /** Makes an endpoint fail until the returned function is called. */
  fault(endpoint: Endpoint, fault: Fault): () => void
  /** Ends all faults, drops all connections and stops listening. */
  close(): Promise<void>
}

/**
 * Starts an authorization server for tests: RFC 8414 metadata, key set, authorization endpoint at which every user consents at
 * once (PKCE, `iss`, clients known by metadata documents), token endpoint for users (codes, rotating refresh tokens), for
 * `client_credentials` and for token exchange, for ID-JAGs at both ends and for workloads, introspection (RFC 7662, signed on request as in RFC 9701) and revocation.
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
  const requests: Record<Endpoint, number> = {
    metadata: 0,
    jwks: 0,
    authorization: 0,
    token: 0,
    introspection: 0,
    revocation: 0,
  }
  const faults = faultInjection()
  const server = await loopbackServer((request, response) => void serve(request, response))
  const issuer = server.origin + (options.issuerPath ?? '')
  const { mint, minted } = await tokenMint(issuer)
  const received: TestAuthorizationServer['received'][number][] = []
  const assertions = assertionsOf(issuer, options, mint, minted)
  const keys = boundKeys(`${issuer}/token`, options.dpopNonces ?? false)
  const endpoints = endpointsOf(issuer, options, { clients, mint, minted, assertions, keys })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', server.origin)
    const endpoint = endpoints.get(url.origin + url.pathname)
    if (endpoint === undefined) return void response.writeHead(404).end()
    const [name, answer] = endpoint
    requests[name] += 1
    const read = await formRequest(request)
    const parameters = name === 'authorization' ? url.searchParams : new URLSearchParams(read.body)
    if (recorded.has(name)) received.push({ endpoint: name, parameters: Object.fromEntries(parameters) })
    if (await faults.intercept(name, response)) return
    const { status, contentType, location, body } = await answer(read, url.searchParams)
    response.writeHead(status, {
      ...(location !== undefined && { location }),
      ...(name === 'token' && keys.nonce !== undefined && { 'dpop-nonce': keys.nonce }),
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
    authorizationEndpoint: `${issuer}/authorize`,
    requests,
    received,
    ...mint,
    consent,
    signOn: (signOn) => assertions.signOn(signOn),
    alter: (which, altered) => assertions.alter(which, altered),
    rotateDpopNonce: () => keys.rotate(),
    fault: (endpoint, fault) => faults.begin(endpoint, fault),
    async close() {
      faults.clear()
      await server.close()
    },
  }
}

const recorded = new Set<Endpoint>(['authorization', 'token', 'revocation'])
const answerHeader = 'x-test-consent'

async function consent(url: string | URL, answer: ConsentAnswer = {}): Promise<string> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { [answerHeader]: JSON.stringify(answer) },
  })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`The authorization request was answered with ${response.status}`)
  return location
}

interface Received extends IntrospectionRequest {
  readonly dpop: string | undefined
  readonly consent: ConsentAnswer
}

type Answering = (request: Received, query: URLSearchParams) => Answer | Promise<Answer>

function assertionsOf(
  issuer: string,
  {
    assertions: rules = {},
    refreshTokens = 'rotating',
    accessTokenSeconds = 300,
  }: TestAuthorizationServerOptions,
  mint: TokenMint,
  { sign }: MintedTokens,
): AssertionGrants {
  const minting = (token: MintOptions) => mint.mint(token)
  return assertionGrants({ issuer, sign, mint: minting, rules, refreshTokens, accessTokenSeconds })
}

interface ServerParts {
  readonly clients: readonly TestClient[]
  readonly mint: TokenMint
  readonly minted: MintedTokens
  readonly assertions: AssertionGrants
  readonly keys: BoundKeys
}

/** What stands at which URL. */
function endpointsOf(
  issuer: string,
  options: TestAuthorizationServerOptions,
  { clients, mint, minted, assertions, keys }: ServerParts,
): ReadonlyMap<string, readonly [Endpoint, Answering]> {
  const { refreshTokens = 'rotating', accessTokenSeconds = 300, metadataAt = 'oauth' } = options
  const metadataUrls = issuerMetadataUrls(issuer)
  const metadataUrl = (metadataAt === 'openid' ? metadataUrls.at(-1) : metadataUrls[0]) ?? ''
  const document = { ...metadata(issuer, assertions.grantTypes), ...options.metadata }
  const grants = userGrants({
    mint: (token) => mint.mint(token),
    revoke: (token) => mint.revoke(token),
    refreshTokens,
    accessTokenSeconds,
  })
  const sources = {
    clients,
    mint: (token: MintOptions) => mint.mint(token),
    find: minted.find,
    grants,
    assertions,
    keys,
  }
  const authorization: Answering = (request, query) => {
    const answer = answerAuthorization(query, request.consent, { issuer, clients, grants })
    return 'location' in answer ? { status: 302, body: {}, ...answer } : answer
  }
  return new Map<string, readonly [Endpoint, Answering]>([
    [metadataUrl, ['metadata', () => ({ status: 200, body: document })]],
    [`${issuer}/jwks`, ['jwks', () => ({ status: 200, body: { keys: mint.publishedKeys() } })]],
    [`${issuer}/authorize`, ['authorization', authorization]],
    [`${issuer}/token`, ['token', (request) => answerTokenRequest(request, sources)]],
    [
      `${issuer}/introspect`,
      ['introspection', (request) => answerIntrospection(request, issuer, clients, minted)],
    ],
    [`${issuer}/revoke`, ['revocation', (request) => answerRevocation(request, clients, grants, mint)]],
  ])
}

/** Makes a token of either kind void (RFC 7009 §2). */
function answerRevocation(
  request: Received,
  clients: readonly TestClient[],
  grants: UserGrants,
  mint: TokenMint,
): Answer {
  if (authenticatedClient(request, clients) === undefined)
    return { status: 401, body: { error: 'invalid_client' } }
  const token = new URLSearchParams(request.body).get('token') ?? ''
  grants.revoke(token)
  mint.revoke(token)
  return { status: 200, body: {} }
}

/** JSON unless it names another content type and holds text. */
interface Answer {
  readonly status: number
  readonly contentType?: string
  readonly location?: string
  readonly body: unknown
}

function metadata(issuer: string, grantTypes: readonly string[]): Readonly<Record<string, unknown>> {
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    introspection_endpoint: `${issuer}/introspect`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ['code'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      tokenExchangeGrant,
      ...grantTypes,
    ],
    identity_chaining_requested_token_types_supported: ['urn:ietf:params:oauth:token-type:id-jag'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    dpop_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
}

async function formRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { authorization, accept, dpop, [answerHeader]: answer = '{}' } = request.headers
  const body = Buffer.concat(chunks).toString('utf8')
  return {
    authorization,
    accept,
    dpop: dpop?.toString(),
    body,
    consent: JSON.parse(String(answer)) as ConsentAnswer,
  }
}
