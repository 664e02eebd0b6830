import type { IncomingMessage, ServerResponse } from 'node:http'
import { assertionGrants, type AlterableAnswer, type AssertionGrants } from './assertion-grants.js'
import type { ConsentAnswer } from './authorization-endpoint.js'
import type { TestAuthorizationServerOptions } from './authorization-server-options.js'
import { boundKeys } from './bound-key.js'
import { endpointsOf, type Received } from './endpoints.js'
import { faultInjection, type Endpoint, type Fault } from './fault-injection.js'
import type { AlteredAnswer } from './id-jag.js'
import { loopbackServer } from './loopback-server.js'
import type { MintOptions } from './mint.js'
import type { SignOn } from './sign-on.js'
import { tokenMint, type MintedTokens, type TokenMint } from './token-mint.js'

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
