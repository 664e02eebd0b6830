import type { MintOptions } from '../mint.js'

/** What the token of an identity provider says. Only what the provider's tokens hold is used. */
export interface ProviderTokenOptions {
  /** The issuer; with Entra the tenant, a GUID. */
  readonly issuer: string
  /** What the API is called there, one or several; in an ID token, the client. */
  readonly audience: string | readonly string[]
  /** Default none. */
  readonly scopes?: readonly string[]
  /** Default `alice`. */
  readonly subject?: string
  /** Default `test-client`. */
  readonly clientId?: string
  /** Further claims, or other values for the usual ones; `undefined` leaves a claim out. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** Writes a token in one shape. */
export type Shape = (told: Required<ProviderTokenOptions>) => Pick<MintOptions, 'claims' | 'header'>

/** Claims of RFC 9068 that providers leave out. */
export const lacking = { client_id: undefined, jti: undefined, scope: undefined }
