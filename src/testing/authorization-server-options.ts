import type { AssertionRules } from './assertion-grants.js'
import type { TestClient } from './test-client.js'
import type { RefreshTokens } from './user-grants.js'

/** Options of `testAuthorizationServer`. */
export interface TestAuthorizationServerOptions {
  /** Path of the issuer, for example `/tenant`. Default none. */
  readonly issuerPath?: string
  /** Clients of the token endpoint. Default one: `test-client` with secret `test-secret`. */
  readonly clients?: readonly TestClient[]
  /** Whether metadata stands at the OAuth place (RFC 8414, default) or only at the appended OpenID one. */
  readonly metadataAt?: 'oauth' | 'openid'
  /** Other members of the metadata, or other values; `undefined` leaves one out. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** What clients get that act for users. Default `rotating`. */
  readonly refreshTokens?: RefreshTokens
  /** Lifetime of the access tokens of users. Default 300. */
  readonly accessTokenSeconds?: number
  /** Whose assertions are redeemed, and what its clients are called elsewhere. */
  readonly assertions?: AssertionRules
  /** Whether proofs at the token endpoint must name a nonce. Default false. */
  readonly dpopNonces?: boolean
}
