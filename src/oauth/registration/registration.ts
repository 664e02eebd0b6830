import type { ClientAuth } from 'oauth4webapi'
import { DefinitionError } from '../../errors.js'
import { exactIssuer } from '../exact-url.js'
import { checkedQuirks, relaxations, type IssuerQuirks } from './quirks.js'

/** How a client shows at its authorization server who it is (RFC 6749 §2.3, OpenID Connect Core 1.0 §9). */
export type ClientAuthenticationMethod =
  'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** One client at one authorization server. Its secret or key stays inside and is never shown by `inspect` or JSON. */
export interface Registration {
  /** The authorization server that knows the client, byte for byte. */
  readonly issuer: string
  readonly clientId: string
  readonly method: ClientAuthenticationMethod
  /** Signature algorithm of its assertions; only for `private_key_jwt`. */
  readonly assertionAlg?: string
  /** Whether the client id is the URL of a client metadata document. */
  readonly isMetadataDocument: boolean
  readonly quirks: IssuerQuirks
  /** Adds to one request what shows who the client is; a new assertion each time. */
  readonly authenticate: ClientAuth
}

/** What every registration names. */
export interface ClientIdentity {
  /** The authorization server that gave out the client id, byte for byte. */
  readonly issuer: string
  readonly clientId: string
  /** Accept an `http` issuer on loopback hosts. Default false. */
  readonly allowLoopbackHttp?: boolean
  /** How the authorization server differs from the specifications. Default not at all. */
  readonly quirks?: IssuerQuirks
}

/** What only some registrations have. */
interface RegistrationTraits {
  readonly assertionAlg?: string
  readonly isMetadataDocument?: boolean
}

/**
 * Checks who the client is and puts the registration together; what its quirks relax is told as a warning of the process.
 * Throws `DefinitionError` (`ERR_OPTION`).
 */
export function registration(
  { issuer, clientId, allowLoopbackHttp = false, quirks = {} }: ClientIdentity,
  method: ClientAuthenticationMethod,
  authenticate: ClientAuth,
  { assertionAlg, isMetadataDocument = false }: RegistrationTraits = {},
): Registration {
  const made = {
    issuer: exactIssuer('issuer', issuer, { allowLoopbackHttp }),
    clientId: printable('clientId', clientId),
    method,
    ...(assertionAlg !== undefined && { assertionAlg }),
    isMetadataDocument,
    quirks: checkedQuirks(quirks),
    authenticate,
  }
  for (const relaxed of relaxations(made.quirks)) {
    process.emitWarning(`Registration at ${issuer}: ${relaxed}`, 'CastellanWarning')
  }
  return Object.freeze(made)
}

/** A non-empty string of printable ASCII (RFC 6749 Appendix A.1, A.2), as it is. */
export function printable(name: string, value: string): string {
  if (typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)) return value
  throw new DefinitionError(`\`${name}\` must be a non-empty string of printable ASCII`, 'ERR_OPTION')
}
