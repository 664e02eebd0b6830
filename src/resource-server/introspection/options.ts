import type { ImpliedScopes } from '../../oauth/implied-scopes.js'
import type { Registration } from '../../oauth/registration/registration.js'
import type { ScopeMap } from '../scope-map.js'
import type { ClaimsSchema } from '../typed-claims.js'

/** Options of `introspectionResourceServer`. */
export interface IntrospectionResourceServerOptions<Claims = Record<string, unknown>> {
  /** The audience tokens must name, byte for byte: an absolute https URL (RFC 8707 §2). */
  readonly resource: string
  /** This resource server as a client of the authorization server; names the issuer. Needs a secret or a key. */
  readonly registration: Registration
  /** Where to ask. Default: the `introspection_endpoint` in the metadata of the issuer (RFC 8414 §2). */
  readonly endpoint?: string
  /** Further audiences that stand for this resource, compared exactly. */
  readonly acceptedAudiences?: readonly string[]
  /**
   * `audience` (default): the answer must name the resource in `aud`. `endpoint`: an answer without `aud` will do, for an
   * authorization server that answers this client `active` only for tokens of this resource.
   */
  readonly audienceBinding?: 'audience' | 'endpoint'
  /** Only take answers signed by the issuer, for this client (RFC 9701). Default: only plain ones. */
  readonly signedResponse?: 'required'
  /** The member that becomes `principal.subject`; an answer without it is refused. Default `sub`. */
  readonly subjectFrom?: 'sub' | 'client_id'
  /** Scopes that bring others with them, for example `{ admin: ['read', 'write'] }`. */
  readonly impliedScopes?: ImpliedScopes
  /** Other names for granted scopes, before implied ones are added. */
  readonly scopeMap?: ScopeMap
  /** A zod schema for members of the answer; a token that does not fit is refused, and `principal.claims` is typed by it. */
  readonly claims?: ClaimsSchema<Claims>
  /** Allowed clock difference for `exp`, `nbf` and `iat`, 0 to 60. Default 5. */
  readonly clockToleranceSeconds?: number
  /**
   * Answer again without asking, for at most so many seconds, from 1 to 60: so long a revoked token is still accepted.
   * Default: ask for every request.
   */
  readonly cache?: { readonly maxSeconds: number }
  /** Most introspection requests under way. Default 64. */
  readonly maxConcurrentRequests?: number
  /** Accept `http` for resource, issuer and endpoint on 127.0.0.0/8, `[::1]` and `localhost`. Default false. */
  readonly allowLoopbackHttp?: boolean
}
