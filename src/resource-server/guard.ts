import type { IncomingMessage } from 'node:http'
import { hasQueryToken, readCredentials } from '../oauth/credentials.js'
import type { Principal } from '../oauth/principal.js'
import type { Span } from '../protocol/span.js'
import { resourceMetadataUrl } from '../oauth/resource-metadata.js'
import { requiredScopes, scopeAlternatives, type ScopeRule } from '../oauth/scope.js'
import { challengesOf } from './challenges.js'
import { judgement, verifierFailed } from './judgement.js'
import { challengeRejection, type Rejection } from './rejection.js'
import type { ResourceServer } from './resource-server.js'

/** Options of `createGuard`. */
export interface GuardOptions {
  readonly resourceServer: ResourceServer
  /** Scopes for basic access, named in every 401. Default none. */
  readonly basicScopes?: readonly string[]
  /** @internal Where telemetry watches. */
  readonly span?: Span
}

/** What a guard needs to know of a request. */
export interface GuardedRequest {
  /** Every `Authorization` header line, in order. */
  readonly authorization: readonly string[]
  /** The request target as received, with its query. */
  readonly url: string
  readonly method: string
  /** The absolute URL clients send this request to, without query: what a proof of possession must name. */
  readonly target: string
  /** Every `DPoP` header line, in order. */
  readonly proofs: readonly string[]
  /** The message as Node has it, where a client certificate is found. */
  readonly message?: IncomingMessage
}

/** Turns requests into principals or rejections, on any route of any HTTP server. */
export interface Guard {
  /** Says who is asking: at once for a token verified before, otherwise later. Never throws, never rejects. */
  authenticate(request: GuardedRequest): Principal | Rejection | Promise<Principal | Rejection>
  /**
   * The 403 for a principal that lacks scopes: one challenge with all scopes of the first alternative.
   * Throws `DefinitionError` (`ERR_OPTION`) for a rule that breaks the grammar.
   */
  forbid(rule: ScopeRule): Rejection
}

/** Tells a rejection from a principal. */
export function isRejection(decision: Principal | Rejection): decision is Rejection {
  return 'status' in decision
}

/**
 * Makes the guard in front of a resource.
 *
 * Decides in this order: a token in the query or an undecodable query 400, several `Authorization` lines 400, no
 * credentials of a scheme it takes 401 without `error`, a token that is not good 401, a verifier that cannot tell 503,
 * a bound token whose holder does not prove to be one 401. RFC 6750 §3.1, RFC 9449 §7, MCP 2026-07-28 "Token
 * Handling". Throws `DefinitionError` (`ERR_OPTION`) for a wrong scope.
 */
export function createGuard(options: GuardOptions): Guard {
  const { resourceServer, span } = options
  const { resource, possession = {} } = resourceServer
  const scope = requiredScopes('basicScopes', options.basicScopes ?? [])
  const challenges = challengesOf(resourceMetadataUrl(resource), possession.dpop)
  const badRequest = challenges.ask({ error: 'invalid_request' })
  const queryToken = challengeRejection(400, 'query-token', badRequest)
  const severalCredentials = challengeRejection(400, 'several-credentials', badRequest)
  const noCredentials = challengeRejection(401, 'no-credentials', challenges.ask({ scope }))
  const { refuse, judge } = judgement(challenges, possession, scope)

  return Object.freeze({
    authenticate(request: GuardedRequest) {
      if (hasQueryToken(request.url)) return queryToken
      const credentials = readCredentials(request.authorization, challenges.schemes)
      if (credentials.kind === 'several') return severalCredentials
      if (credentials.kind === 'absent') return noCredentials
      if (credentials.kind === 'malformed') return refuse('malformed', credentials.scheme)
      const { token } = credentials
      try {
        const verification =
          span === undefined
            ? resourceServer.verify(token)
            : span('mcp.verify', resource, () => resourceServer.verify(token))
        return verification instanceof Promise
          ? verification.then((settled) => judge(settled, credentials, request)).catch(() => verifierFailed)
          : judge(verification, credentials, request)
      } catch {
        return verifierFailed
      }
    },
    forbid(rule: ScopeRule) {
      const [lacking = []] = scopeAlternatives('scopes', rule)
      const challenge = challenges.ask({ error: 'insufficient_scope', scope: lacking })
      return challengeRejection(403, 'insufficient-scope', challenge)
    },
  })
}
