import { CastellanError } from '../errors.js'
import type { ConsentRequest } from './authorization-code/consent-request.js'

/** Metadata of the resource or of its authorization server is missing, unsafe or not what it must be. Nothing was sent. */
export class DiscoveryError extends CastellanError {
  override readonly name = 'DiscoveryError'

  constructor(message: string) {
    super('ERR_DISCOVERY', message)
  }
}

/** No registration fits: none is for an issuer the resource names, or the server does not offer what it needs. */
export class RegistrationError extends CastellanError {
  override readonly name = 'RegistrationError'
  /** The issuers that the resource names, exactly as it does; empty when they are not the reason. */
  readonly offered: readonly string[]

  constructor(message: string, offered: readonly string[] = []) {
    super('ERR_REGISTRATION', message)
    this.offered = offered
  }
}

/** The user has to consent in a browser first; nothing was sent. */
export class ConsentRequiredError extends CastellanError {
  override readonly name = 'ConsentRequiredError'
  /** Not a member like others: even what looks at hidden members shows no getter of a class. */
  readonly #url: string
  /** The authorization server that will ask. */
  readonly issuer: string
  /** What it will ask the user for; none named when empty. */
  readonly scopes: readonly string[]

  constructor({ url, issuer, scopes }: Pick<ConsentRequest, 'url' | 'issuer' | 'scopes'>) {
    super('ERR_CONSENT_REQUIRED')
    this.#url = url
    this.issuer = issuer
    this.scopes = scopes
  }

  /** Where to send the user. It belongs to one user: neither log nor share it. */
  get url(): string {
    return this.#url
  }
}

/** Why a consent came to nothing. `mismatch`: what came back does not belong to what was asked. */
export type ConsentFailure = 'denied' | 'expired' | 'mismatch' | 'failed'

/** The user refused, took too long, or what came back is not the answer to what was asked. Never holds a word of it. */
export class ConsentError extends CastellanError {
  override readonly name = 'ConsentError'
  readonly reason: ConsentFailure

  constructor(reason: ConsentFailure, message: string) {
    super('ERR_CONSENT', message)
    this.reason = reason
  }
}

/** The token endpoint refused, or its answer breaks the protocol. */
export class TokenEndpointError extends CastellanError {
  override readonly name = 'TokenEndpointError'
  /** The `error` of RFC 6749 §5.2, when the answer named one of the grammar. */
  readonly oauthCode: string | undefined

  constructor(message: string, oauthCode?: string) {
    super('ERR_TOKEN_ENDPOINT', message)
    this.oauthCode = oauthCode
  }
}

/** The token lacks scopes, and asking for them is not allowed or did not help. */
export class InsufficientScopeError extends CastellanError {
  override readonly name = 'InsufficientScopeError'
  /** Everything the operation needs, in the order of the challenge. */
  readonly required: readonly string[]

  constructor(required: readonly string[]) {
    super('ERR_INSUFFICIENT_SCOPE')
    this.required = required
  }
}

/** The resource refuses the token, and a new one is not to be had or was refused as well. */
export class InvalidTokenError extends CastellanError {
  override readonly name = 'InvalidTokenError'

  constructor(message?: string) {
    super('ERR_INVALID_TOKEN', message)
  }
}

/** An authorization server cannot answer now. The grant is kept; try again later. */
export class AuthorizationUnavailableError extends CastellanError {
  override readonly name = 'AuthorizationUnavailableError'
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor(message?: string, retryAfterSeconds?: number) {
    super('ERR_AUTHORIZATION_UNAVAILABLE', message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The identity the host gave is used up or refused; the user has to sign in at the host again. */
export class IdentityRequiredError extends CastellanError {
  override readonly name = 'IdentityRequiredError'

  constructor(message?: string) {
    super('ERR_IDENTITY_REQUIRED', message)
  }
}
