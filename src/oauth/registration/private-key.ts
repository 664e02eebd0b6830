import { randomUUID, type KeyObject } from 'node:crypto'
import { SignJWT, type CryptoKey, type JWTPayload } from 'jose'
import type { ClientAuth } from 'oauth4webapi'
import { DefinitionError } from '../../errors.js'
import { checkDocumentUrl } from './document-url.js'
import { printable, registration, type ClientIdentity, type Registration } from './registration.js'

/** Signs a JWT elsewhere, for example in a key management service; returns the compact form. */
export type AssertionSigner = (
  claims: JWTPayload,
  header: { readonly alg: string; readonly kid: string },
) => Promise<string>

/** Options of `privateKey`. */
export interface PrivateKeyClient extends ClientIdentity {
  /** A private key, or what signs with one. */
  readonly key: CryptoKey | KeyObject | AssertionSigner
  /** Name of the key at the authorization server. */
  readonly kid: string
  readonly alg: 'ES256' | 'ES384' | 'EdDSA' | 'PS256' | 'RS256'
  /** Whom assertions are for: the issuer (default), or its token endpoint for servers that want that. */
  readonly assertionAudience?: 'issuer' | 'token_endpoint'
}

const lifetimeSeconds = 60

/**
 * A client that signs an assertion for each request (`private_key_jwt`, RFC 7523 §2.2).
 *
 * Throws `DefinitionError` (`ERR_OPTION`).
 */
export function privateKey(client: PrivateKeyClient): Registration {
  return signing(client, false)
}

/**
 * A client that is known by its metadata document, which names the public key, and that signs an assertion for each
 * request. `clientId` is the https URL of the document, in its exact serialisation and with a path.
 *
 * Throws `DefinitionError` (`ERR_OPTION`). OAuth Client ID Metadata Document draft, §3 and §4.
 */
export function signedClientMetadata(client: PrivateKeyClient): Registration {
  checkDocumentUrl(client.clientId)
  return signing(client, true)
}

function signing(client: PrivateKeyClient, isMetadataDocument: boolean): Registration {
  const { clientId, key, alg, assertionAudience = 'issuer' } = client
  const header = Object.freeze({ alg, kid: printable('kid', client.kid) })
  if (!['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256'].includes(alg))
    throw new DefinitionError('`alg` must be ES256, ES384, EdDSA, PS256 or RS256', 'ERR_OPTION')
  const sign: AssertionSigner =
    typeof key === 'function' ? key : (claims) => new SignJWT(claims).setProtectedHeader(header).sign(key)
  const authenticate: ClientAuth = async (server, _client, body) => {
    const now = Math.floor(Date.now() / 1000)
    const audience = assertionAudience === 'issuer' ? server.issuer : server.token_endpoint
    if (audience === undefined) throw new Error('The authorization server has no token endpoint')
    const claims = {
      iss: clientId,
      sub: clientId,
      aud: audience,
      jti: randomUUID(),
      iat: now,
      exp: now + lifetimeSeconds,
    }
    body.set('client_id', clientId)
    body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
    body.set('client_assertion', await sign(claims, header))
  }
  return registration(client, 'private_key_jwt', authenticate, { assertionAlg: alg, isMetadataDocument })
}
