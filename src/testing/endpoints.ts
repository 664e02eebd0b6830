import { issuerMetadataUrls } from '../oauth/issuer-metadata-urls.js'
import type { AssertionGrants } from './assertion-grants.js'
import { answerAuthorization, type ConsentAnswer } from './authorization-endpoint.js'
import type { TestAuthorizationServerOptions } from './authorization-server-options.js'
import type { BoundKeys } from './bound-key.js'
import type { Endpoint } from './fault-injection.js'
import { answerIntrospection, type IntrospectionRequest } from './introspection-endpoint.js'
import type { MintOptions } from './mint.js'
import type { TestClient } from './test-client.js'
import { answerTokenRequest, authenticatedClient } from './token-endpoint.js'
import { tokenExchangeGrant } from './token-exchange.js'
import type { MintedTokens, TokenMint } from './token-mint.js'
import { userGrants, type UserGrants } from './user-grants.js'

/** A request as the endpoints see it. */
export interface Received extends IntrospectionRequest {
  readonly dpop: string | undefined
  readonly consent: ConsentAnswer
}

/** What an endpoint does. */
export type Answering = (request: Received, query: URLSearchParams) => Answer | Promise<Answer>

/** What the endpoints of one server share. */
export interface ServerParts {
  readonly clients: readonly TestClient[]
  readonly mint: TokenMint
  readonly minted: MintedTokens
  readonly assertions: AssertionGrants
  readonly keys: BoundKeys
}

/** What stands at which URL. */
export function endpointsOf(
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
