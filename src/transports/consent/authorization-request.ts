import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi'
import { isReservedParameter } from '../../oauth/authorization-parameters.js'
import { isLoopback } from '../../oauth/exact-url.js'
import type { DiscoveredServer } from '../discovery/discover.js'
import { DiscoveryError } from '../errors.js'

/** What a user is asked to consent to. */
export interface AuthorizationQuestion extends Pick<DiscoveredServer, 'server' | 'registration'> {
  /** The same as in the token requests that follow; undefined to leave it out. */
  readonly resource: string | undefined
  readonly redirectUri: string
  /** None named when empty. */
  readonly scopes: readonly string[]
  /** Thumbprint of the key that the code is to be bound to. */
  readonly dpopJkt?: string | undefined
}

/** One attempt at consent: where to send the user, and what only this side may know until the answer is there. */
export interface AuthorizationRequest {
  /** https, or http on a loopback host the operator opted into; at most 8 KiB of characters that no shell reads. */
  readonly url: URL
  readonly state: string
  readonly codeVerifier: string
}

const maxLength = 8_192
/** RFC 3986 without the two characters that a shell reads within quotes. */
const harmless = /^[A-Za-z0-9._~:/?[\]@!&()*+,;=%-]+$/

/**
 * Builds an authorization request with PKCE (S256) and a fresh state. The query of the endpoint itself is kept.
 *
 * Throws `DiscoveryError` for an endpoint that is not safe to open or that presets a parameter of the request.
 * RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2.1, RFC 9449 §10.
 */
export async function authorizationRequest(question: AuthorizationQuestion): Promise<AuthorizationRequest> {
  const { server, registration, resource, redirectUri, scopes, dpopJkt } = question
  const endpoint = safeEndpoint(server.authorization_endpoint, registration.issuer.startsWith('http:'))
  const state = generateRandomState()
  const codeVerifier = generateRandomCodeVerifier()
  const parameters = new URLSearchParams({
    ...registration.quirks.extraAuthorizationParams,
    response_type: 'code',
    client_id: registration.clientId,
    redirect_uri: redirectUri,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    state,
    ...(resource !== undefined && { resource }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(dpopJkt !== undefined && { dpop_jkt: dpopJkt }),
  })
  const url = new URL(`${endpoint}${endpoint.includes('?') ? '&' : '?'}${parameters.toString()}`)
  if (url.href.length > maxLength) throw new DiscoveryError('The authorization request is longer than 8 KiB')
  return { url, state, codeVerifier }
}

/** The endpoint came from the network and is about to be opened on the machine of the user. */
function safeEndpoint(endpoint = '', allowLoopbackHttp: boolean): string {
  if (!URL.canParse(endpoint) || !harmless.test(endpoint) || !isPage(new URL(endpoint), allowLoopbackHttp))
    throw new DiscoveryError('The authorization endpoint is not safe to open in a browser')
  if ([...new URL(endpoint).searchParams.keys()].some(isReservedParameter))
    throw new DiscoveryError('The authorization endpoint presets a parameter of the request')
  return endpoint
}

function isPage(url: URL, allowLoopbackHttp: boolean): boolean {
  const isScheme =
    url.protocol === 'https:' || (url.protocol === 'http:' && allowLoopbackHttp && isLoopback(url))
  return isScheme && url.username === '' && url.password === ''
}
