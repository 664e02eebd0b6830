import type { IssuerQuirks } from '../../oauth/registration/quirks.js'

/** What is particular to the application at Auth0. */
export interface Auth0Options {
  /** The issuer as its metadata names it, with the slash at its end. */
  readonly issuer: string
  /** The identifier of the API, for tenants without the resource parameter profile. */
  readonly audience?: string
}

/** Quirks of Auth0: resources tend to drop the slash of the issuer, and without `audience` tokens are opaque. */
export function auth0({ issuer, audience }: Auth0Options): IssuerQuirks {
  return {
    issuerAliases: [issuer.replace(/\/$/, '')],
    ...(audience !== undefined && { extraAuthorizationParams: { audience } }),
  }
}
