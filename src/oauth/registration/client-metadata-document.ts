import type { JWK } from 'jose'
import { DefinitionError } from '../../errors.js'
import { requiredScopes } from '../scope.js'
import { checkDocumentUrl } from './document-url.js'
import { isLoopbackRedirect, redirectUri } from './redirect-uri.js'

/** What a client says about itself. */
export interface ClientDescription {
  /** The https URL at which the document will stand; it is the client id. */
  readonly clientId: string
  /** What users read on the consent page. */
  readonly name: string
  readonly redirectUris: readonly string[]
  /** Where users read about the client. */
  readonly homepage?: string
  readonly logo?: string
  /** Everything the client may ask for. */
  readonly scopes?: readonly string[]
  /** Public keys for `signedClientMetadata`: the key set itself or its https URL. Default none: a public client. */
  readonly keys?: string | { readonly keys: readonly JWK[] }
}

/**
 * The client metadata document to serve as `application/json` at `clientId`, for `publicClientMetadata` and, with `keys`,
 * for `signedClientMetadata`.
 *
 * A client with a loopback redirect URI is `native`, any other `web`. Throws `DefinitionError` (`ERR_OPTION`), also for
 * private keys. OAuth Client ID Metadata Document draft, §4; RFC 7591 §2.
 */
export function clientMetadataDocument(client: ClientDescription): Readonly<Record<string, unknown>> {
  const { clientId, name, redirectUris, homepage, logo, scopes, keys } = client
  checkDocumentUrl(clientId)
  if (typeof name !== 'string' || name === '') refuse('name', 'must not be empty')
  if (redirectUris.length === 0) refuse('redirectUris', 'must not be empty')
  const uris = redirectUris.map((uri) => redirectUri('redirectUris', uri))
  return Object.freeze({
    client_id: clientId,
    client_name: name,
    ...(homepage !== undefined && { client_uri: https('homepage', homepage) }),
    ...(logo !== undefined && { logo_uri: https('logo', logo) }),
    application_type: uris.some(isLoopbackRedirect) ? 'native' : 'web',
    redirect_uris: uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(scopes && { scope: requiredScopes('scopes', scopes).join(' ') }),
    token_endpoint_auth_method: keys === undefined ? 'none' : 'private_key_jwt',
    ...(typeof keys === 'string' && { jwks_uri: https('keys', keys) }),
    ...(typeof keys === 'object' && { jwks: { keys: keys.keys.map(publicKey) } }),
  })
}

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

function publicKey(key: JWK): JWK {
  if (!privateMembers.some((member) => member in key)) return key
  refuse('keys', 'must hold public keys only')
}

function https(name: string, value: string): string {
  if (!URL.canParse(value) || new URL(value).protocol !== 'https:') refuse(name, 'must be an https URL')
  return value
}

function refuse(name: string, problem: string): never {
  throw new DefinitionError(`\`${name}\` ${problem}`, 'ERR_OPTION')
}
