import type { AuthorizationServer } from 'oauth4webapi'
import type { GuardedHttp, Trust } from '../../network/guarded-http.js'
import type { Registration } from '../../oauth/registration/registration.js'
import { DiscoveryError, RegistrationError } from '../errors.js'

/** What a transport is going to ask an authorization server for. */
export type Need = 'authorization_code' | 'client_credentials' | 'jwt-bearer' | 'token-exchange'

const grantTypes: Readonly<Record<Need, string>> = {
  authorization_code: 'authorization_code',
  client_credentials: 'client_credentials',
  'jwt-bearer': 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'token-exchange': 'urn:ietf:params:oauth:grant-type:token-exchange',
}

/** Which addresses endpoints may have. */
export interface EndpointRules {
  readonly http: GuardedHttp
  readonly trust: Trust
}

/**
 * Checks that a server offers what a registration needs, before anything is sent to it: safe endpoints, the grant, the
 * way the client authenticates and no other, and PKCE with S256 for the browser.
 *
 * Throws `DiscoveryError` about the server and `RegistrationError` about the registration. RFC 8414 §2 (with its defaults).
 */
export function checkServer(
  server: AuthorizationServer,
  registration: Registration,
  need: Need,
  rules: EndpointRules,
): void {
  checkEndpoint(server, 'token_endpoint', rules)
  if (server.revocation_endpoint !== undefined) checkEndpoint(server, 'revocation_endpoint', rules)
  const { assumeGrantType } = registration.quirks
  const grants = server.grant_types_supported ?? ['authorization_code', 'implicit']
  if (!assumeGrantType && !grants.includes(grantTypes[need]))
    throw new DiscoveryError(`${named(server)} does not offer the grant type ${grantTypes[need]}`)
  checkAuthentication(server, registration, need)
  if (need === 'authorization_code') checkBrowserFlow(server, registration, rules)
}

/** An assertion that is itself the grant needs no announcement of clients without authentication (RFC 7521 §4.1). */
function checkAuthentication(server: AuthorizationServer, registration: Registration, need: Need): void {
  const { method, assertionAlg, isMetadataDocument, quirks } = registration
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const goesWithout = method === 'none' && (need === 'jwt-bearer' || quirks.assumeNoneAuth === true)
  if (!methods.includes(method) && !goesWithout)
    throw new RegistrationError(`${named(server)} does not take clients that authenticate with ${method}`)
  const algorithms = server.token_endpoint_auth_signing_alg_values_supported ?? []
  if (assertionAlg !== undefined && !algorithms.includes(assertionAlg))
    throw new RegistrationError(
      `${named(server)} does not take client assertions signed with ${assertionAlg}`,
    )
  if (isMetadataDocument && server['client_id_metadata_document_supported'] !== true)
    throw new RegistrationError(`${named(server)} does not read client metadata documents`)
}

function checkBrowserFlow(server: AuthorizationServer, { quirks }: Registration, rules: EndpointRules): void {
  checkEndpoint(server, 'authorization_endpoint', rules)
  if (!server.response_types_supported?.includes('code'))
    throw new DiscoveryError(`${named(server)} does not offer the response type code`)
  if (!quirks.assumePkceS256 && !server.code_challenge_methods_supported?.includes('S256')) {
    throw new DiscoveryError(
      `${named(server)} does not announce PKCE with S256; if it supports it all the same, set \`assumePkceS256\``,
    )
  }
  if (server.require_pushed_authorization_requests || server.require_signed_request_object)
    throw new DiscoveryError(`${named(server)} wants pushed or signed authorization requests`)
}

function checkEndpoint(
  server: AuthorizationServer,
  name: 'authorization_endpoint' | 'token_endpoint' | 'revocation_endpoint',
  { http, trust }: EndpointRules,
): void {
  const endpoint = server[name]
  if (endpoint === undefined) throw new DiscoveryError(`${named(server)} has no \`${name}\``)
  if (!isSafe(endpoint, trust) || !http.admits(endpoint, trust))
    throw new DiscoveryError(`${named(server)} has a \`${name}\` that is not safe`)
}

/** An absolute URL over https, or http for loopback hosts the operator opted into; nothing hidden in it. */
function isSafe(endpoint: string, { loopback }: Trust): boolean {
  if (!URL.canParse(endpoint) || endpoint.length > 8_192 || /[\s\u0000-\u001f\u007f#\\]/.test(endpoint))
    return false
  const url = new URL(endpoint)
  const isScheme = url.protocol === 'https:' || (url.protocol === 'http:' && loopback === true)
  return isScheme && url.username === '' && url.password === ''
}

function named({ issuer }: AuthorizationServer): string {
  return `The authorization server ${new URL(issuer).host}`
}
