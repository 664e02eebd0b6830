import type { AuthorizationServer } from 'oauth4webapi'
import { issuerMetadataUrls } from '../../oauth/issuer-metadata-urls.js'
import type { Registration } from '../../oauth/registration/registration.js'
import { DiscoveryError } from '../errors.js'
import { metadataAt, readFirstDocument, type MetadataSource } from './metadata-document.js'
import { metadataFields } from './metadata-fields.js'

const texts = [
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'pushed_authorization_request_endpoint',
] as const
const lists = [
  'scopes_supported',
  'response_types_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'revocation_endpoint_auth_methods_supported',
  'dpop_signing_alg_values_supported',
  'authorization_grant_profiles_supported',
  'identity_chaining_requested_token_types_supported',
] as const
const flags = [
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
  'require_pushed_authorization_requests',
  'require_signed_request_object',
] as const

/**
 * The metadata of the issuer a registration is for: what the operator wrote, or the first document at its well-known
 * places, which must name exactly this issuer. Only known members are kept.
 *
 * Throws `DiscoveryError`, and `AuthorizationUnavailableError` when nothing can be said now. RFC 8414 §3.
 */
export async function readIssuerMetadata(
  { issuer, quirks }: Registration,
  source: MetadataSource,
): Promise<AuthorizationServer> {
  if (quirks.metadataOverride !== undefined) return Object.freeze({ ...quirks.metadataOverride, issuer })
  const { advanceOn } = quirks
  const urls = issuerMetadataUrls(issuer)
  const found = await readFirstDocument('authorization server', urls, { ...source, advanceOn })
  if (found === undefined)
    throw new DiscoveryError(`${metadataAt('authorization server', issuer)} is at none of its places`)
  const where = metadataAt('authorization server', found.url)
  const fields = metadataFields(where, found.document)
  if (fields.text('issuer') !== issuer) throw new DiscoveryError(`${where} is that of another issuer`)
  const members = [
    ...texts.map((name) => [name, fields.text(name)] as const),
    ...lists.map((name) => [name, fields.texts(name)] as const),
    ...flags.map((name) => [name, fields.flag(name)] as const),
  ].filter(([, value]) => value !== undefined)
  return Object.freeze({ issuer, ...(Object.fromEntries(members) as Partial<AuthorizationServer>) })
}
