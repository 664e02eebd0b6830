import { DefinitionError } from '../../errors.js'
import type { Registration } from '../../oauth/registration/registration.js'
import { checkedCredential, fromHost } from '../from-host.js'

/** Who the user is at the identity provider, and what the host has to show for it. Made by `idTokenIdentity` and the like. */
export interface EnterpriseIdentity {
  readonly kind: 'id_token' | 'saml2' | 'refresh_token'
  readonly registration: Registration
  readonly subject: string
  readonly source: (signal: AbortSignal) => Promise<string | undefined>
}

/** Options of `idTokenIdentity`, `samlIdentity` and `refreshTokenIdentity`. */
export interface EnterpriseIdentityOptions {
  /** The client of the host at the identity provider, with a secret or a key: another one than at the MCP server. */
  readonly registration: Registration
  /** Whom the identity provider calls the user, for example the `sub` of its ID tokens. */
  readonly subject: string
  /**
   * Gives what the sign-on of this user gave the host, which has validated it; undefined when the user has to sign in again. It
   * has 30 seconds, so it does not wait for a person.
   */
  readonly source: (signal: AbortSignal) => Promise<string | undefined>
}

/**
 * A user whose ID token the host keeps. `source` gives the token in its compact form; one of another `sub` is never sent.
 *
 * Throws `DefinitionError` (`ERR_OPTION`).
 */
export function idTokenIdentity(options: EnterpriseIdentityOptions): EnterpriseIdentity {
  return identity('id_token', options)
}

/**
 * A user who signed in by SAML 2.0. `source` gives the base64url-encoded assertion, which is traded once for a refresh token of
 * the identity provider; that is kept in the store, so the next assertion is asked for when it no longer serves.
 *
 * Throws `DefinitionError` (`ERR_OPTION`).
 */
export function samlIdentity(options: EnterpriseIdentityOptions): EnterpriseIdentity {
  return identity('saml2', options)
}

/**
 * A user for whom the host got a refresh token of the identity provider. `source` gives it once: from then on it is kept, and
 * followed when the identity provider replaces it, in the store, and the host uses it for nothing else.
 *
 * Throws `DefinitionError` (`ERR_OPTION`).
 */
export function refreshTokenIdentity(options: EnterpriseIdentityOptions): EnterpriseIdentity {
  return identity('refresh_token', options)
}

function identity(
  kind: EnterpriseIdentity['kind'],
  { registration, subject, source }: EnterpriseIdentityOptions,
): EnterpriseIdentity {
  const { method, authenticate } = (registration as Partial<Registration> | undefined) ?? {}
  if (typeof authenticate !== 'function' || method === 'none')
    throw new DefinitionError('`registration` must be one with a secret or a key', 'ERR_OPTION')
  if (typeof subject !== 'string' || subject === '')
    throw new DefinitionError('`subject` must be a non-empty string', 'ERR_OPTION')
  if (typeof source !== 'function') throw new DefinitionError('`source` must be a function', 'ERR_OPTION')
  return Object.freeze({ kind, registration, subject, source })
}

/** Whether a value is what one of the functions above gave. */
export function isIdentity(value: unknown): value is EnterpriseIdentity {
  const { kind, registration } = (value as Partial<EnterpriseIdentity> | null | undefined) ?? {}
  return registration !== undefined && (kind === 'id_token' || kind === 'saml2' || kind === 'refresh_token')
}

/** Asks the host. Rejects with `IdentityRequiredError` when it has nothing that can be shown. */
export async function given({ source }: EnterpriseIdentity, signal: AbortSignal): Promise<string> {
  return checkedCredential(await fromHost(source, signal))
}
