import type { JWK } from 'jose'
import type { ImpliedScopes } from '../../oauth/implied-scopes.js'
import type { ScopeMap } from '../scope-map.js'
import type { ClaimsSchema } from '../typed-claims.js'

/** A signature algorithm with public keys (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2). */
export type SigningAlgorithm = `${'RS' | 'PS' | 'ES'}${'256' | '384' | '512'}` | 'EdDSA' | 'Ed25519'

/** Options of `jwtResourceServer`. */
export interface JwtResourceServerOptions<Claims = Record<string, unknown>> {
  /** The audience tokens must name, byte for byte: an absolute https URL (RFC 8707 §2). */
  readonly resource: string
  /** The one authorization server, byte for byte as its tokens say in `iss`. */
  readonly issuer: string
  /**
   * Other names in `iss` under which the same authorization server signs for the same people with the same keys.
   * Principals name `issuer` whichever it is; issuers with people of their own need a resource server each.
   */
  readonly acceptedIssuers?: readonly string[]
  /** Where the keys are. Default: the `jwks_uri` in the metadata of the issuer (RFC 8414, OpenID discovery). */
  readonly jwksUri?: string
  /** Fixed public keys instead of published ones. */
  readonly keys?: readonly JWK[]
  /** Default `RS256`, `PS256`, `ES256`, `EdDSA`. */
  readonly algorithms?: readonly SigningAlgorithm[]
  /** `rfc9068` (default) needs the header type and all claims of that RFC; `relaxed` needs `allowedTyp`. */
  readonly profile?: 'rfc9068' | 'relaxed'
  /** With `relaxed`, mandatory: accepted values of the header `typ`, for example `['JWT']`. */
  readonly allowedTyp?: readonly string[]
  /** With `relaxed`: also accept tokens without `typ`. Default false. */
  readonly allowMissingTyp?: boolean
  /** Further audiences that stand for this resource, compared exactly. */
  readonly acceptedAudiences?: readonly string[]
  /** Whether `aud` may also name others (`contains`, default, RFC 9068 §4) or only the ones above (`only-known`). */
  readonly audienceMode?: 'contains' | 'only-known'
  /**
   * With `relaxed`: `client_id` takes tokens without `aud` whose `client_id` is one of `acceptedAudiences`; an `aud`
   * that is there must name `resource`. Default `aud`.
   */
  readonly audienceClaim?: 'aud' | 'client_id'
  /** Claims that must be there with a value, or one of several, for example `{ token_use: 'access' }`. */
  readonly requiredClaimValues?: Readonly<Record<string, string | readonly string[]>>
  /**
   * With `relaxed`: claims that name the client, of which the first that is there counts; a token with none is refused.
   * Left out: `client_id`, `azp`, `cid`, `appid`, or no client at all.
   */
  readonly clientIdClaims?: readonly string[]
  /** Allowed clock difference for `exp`, `nbf` and `iat`, 0 to 60. Default 5. */
  readonly clockToleranceSeconds?: number
  /** Longest accepted time from `iat` to `exp`; `Infinity` for any. Default 86,400. */
  readonly maxTokenLifetimeSeconds?: number
  /** Scopes that bring others with them, for example `{ admin: ['read', 'write'] }`. */
  readonly impliedScopes?: ImpliedScopes
  /** Claims that hold scopes, as a space-separated string or a list. Default `['scope']`. */
  readonly scopeClaims?: readonly string[]
  /** Other names for granted scopes, before implied ones are added. */
  readonly scopeMap?: ScopeMap
  /** A zod schema for claims; a token that does not fit is refused, and `principal.claims` is typed and parsed by it. */
  readonly claims?: ClaimsSchema<Claims>
  /** The claim that becomes `principal.subject`. Default `sub`. */
  readonly subjectFrom?: 'sub' | 'client_id'
  /** How long keys older than ten minutes still serve while they cannot be read. Default 0, at most 86,400. */
  readonly staleIfErrorSeconds?: number
  /** Most verified tokens kept in memory. Default 10,000. */
  readonly maxCachedTokens?: number
  /** Longest time a verified token is kept, at most 3,600; 0 verifies each request anew. Default 300. */
  readonly maxCacheSeconds?: number
  /** Accept `http` for resource, issuer and keys on 127.0.0.0/8, `[::1]` and `localhost`. Default false. */
  readonly allowLoopbackHttp?: boolean
}
