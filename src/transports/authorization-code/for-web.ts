import { LRUCache } from 'lru-cache'
import { DefinitionError } from '../../errors.js'
import { guardedHttp } from '../../network/guarded-http.js'
import { undiciExchange } from '../../network/http-undici-exchange.js'
import { exactResource } from '../../oauth/exact-url.js'
import { redirectUri as checkedRedirectUri } from '../../oauth/registration/redirect-uri.js'
import type { AuthorizationStore } from '../../store/authorization-store.js'
import { authorizedTransport } from '../authorized-transport.js'
import type { ClientTransport } from '../client-transport.js'
import type { Registrations } from '../discovery/choose-registration.js'
import { discoveryCache } from '../discovery/discover.js'
import { ConsentRequiredError } from '../errors.js'
import { openness } from '../openness.js'
import { proofsFor } from '../possession/proofs.js'
import type { ReadyGrant } from '../grant/grant-record.js'
import { sharedGrant, type SharedGrant } from '../grant/shared-grant.js'
import { checkFunction, checkRegistrations, checkScopes, checkStore } from '../check-options.js'
import type { ConsentContext } from './consent-context.js'
import type { ConsentRequest } from './consent-request.js'
import { finishConsent } from './finish-consent.js'
import { forgetGrant } from './forget-grant.js'
import { sharedExchange } from './shared-exchange.js'
import { workUnderWay } from './under-way.js'
import { userAuthorizer } from './user-authorizer.js'
import { askedConsent, grantOrConsent } from './user-grant.js'

/** Options of `authorizationCodeTransport.forWeb`. */
export interface WebConsentOptions {
  /** The one URL of the MCP server, byte for byte; `https`. */
  readonly endpoint: string
  /** Who the application is: a registration; several, one for each issuer; or a function that decides for an issuer. */
  readonly registration: Registrations
  /** Where the authorization server sends the user back to; a route of the application. Byte for byte as registered. */
  readonly redirectUri: string
  /** Where the grants of one user are kept; of this user alone. Every instance gives stores over the same backend. */
  readonly store: (userId: string) => AuthorizationStore
  /** Bind tokens to a key of their own, so that a stolen one is of no use (RFC 9449). Default false. */
  readonly dpop?: boolean
  /** Accept an `http` endpoint on loopback hosts. Default false. */
  readonly allowLoopbackHttp?: boolean
}

/** Ends the waiting of one call. */
interface Waiting {
  readonly signal?: AbortSignal
}

/** The consents and the grants of the users of a web application at one MCP server. */
export interface WebConsent {
  /**
   * A transport that acts for a user. A call rejects with `ConsentRequiredError` as long as the user has to consent, to more
   * scopes as well; after `finish` it is simply made again. Cheap: all transports share connections and grants.
   */
  transport(userId: string): ClientTransport
  /**
   * Begins a consent that the user asks for, with these scopes beside those the resource names, or gives the one that is open.
   * Rejects as a call does, and with `DefinitionError` (`ERR_OPTION`) for what is no list of scopes.
   */
  begin(userId: string, options?: Waiting & { readonly scopes?: readonly string[] }): Promise<ConsentRequest>
  /**
   * Takes the URL at which the user came back, absolute or as a path with its query, in any instance: the code in it becomes a
   * grant, once. The user is the one of the session, never one from the URL: answers to consents of another user are refused.
   * Rejects with `ConsentError`, `TokenEndpointError`, `AuthorizationUnavailableError` and `StoreError`.
   */
  finish(userId: string, callbackUrl: string, options?: Waiting): Promise<void>
  /** Signs a user out: the grant is deleted, and the authorization server told as far as it can be reached. */
  forget(userId: string, options?: Waiting): Promise<void>
  /** Cuts what is under way and lets go of connections; a token being asked for is waited for. Idempotent. */
  close(): Promise<void>
}

interface User {
  readonly context: ConsentContext
  readonly grant: SharedGrant
}

/** How many users have their token in memory, and how long one who is not heard of. */
const users = { max: 10_000, ttl: 5 * 60_000, updateAgeOnGet: true }

/**
 * Consent in the browser of the users of a web application (RFC 6749 §4.1 with PKCE, MCP 2026-07-28 "Authorization").
 *
 * Throws `DefinitionError` (`ERR_OPTION`).
 */
export function forWeb(options: WebConsentOptions): WebConsent {
  const { registration, store, allowLoopbackHttp = false } = options
  const endpoint = exactResource('endpoint', options.endpoint, { allowLoopbackHttp })
  const uri = checkedRedirectUri('redirectUri', options.redirectUri)
  checkRegistrations(registration)
  checkFunction('store', store)
  const proofs = proofsFor(options.dpop)
  const exchange = undiciExchange(endpoint)
  const http = guardedHttp()
  const cache = discoveryCache()
  const open = openness()
  const known = new LRUCache<string, User>(users)
  const underWay = workUnderWay()
  const redirection = { uri: () => uri, isShared: true }

  function userOf(userId: string): User {
    if (typeof userId !== 'string' || userId === '')
      throw new DefinitionError('`userId` must be a non-empty string', 'ERR_OPTION')
    const before = known.get(userId)
    if (before !== undefined) return before
    const own = { user: [userId], store: store(userId) }
    checkStore(own.store)
    const context = { endpoint, registration, ...own, exchange, http, cache, proofs, open }
    const grant = sharedGrant((wish, wanted) =>
      underWay.stoppable(wanted, (signal) => grantOf(context, wish, redirection, signal)),
    )
    const user = { context, grant }
    known.set(userId, user)
    return user
  }

  return Object.freeze<WebConsent>({
    transport(userId) {
      userOf(userId)
      const release = () => Promise.resolve()
      const authorizer = userAuthorizer(() => userOf(userId).grant, { endpoint, proofs }, release)
      return authorizedTransport({ endpoint, authorizer, exchange: sharedExchange(exchange), release })
    },
    async begin(userId, { scopes = [], signal } = {}) {
      checkScopes(scopes)
      return underWay.finish(askedConsent(userOf(userId).context, scopes, redirection, signal ?? never()))
    },
    async finish(userId, callbackUrl, { signal } = {}) {
      const { context, grant } = userOf(userId)
      await underWay.finish(finishConsent(context, callbackUrl, signal ?? never()))
      grant.forget()
    },
    async forget(userId, { signal } = {}) {
      const { context, grant } = userOf(userId)
      grant.forget()
      await underWay.finish(forgetGrant(context, signal ?? never()))
      grant.forget()
    },
    async close() {
      underWay.stop()
      await exchange.close()
      await Promise.all([...known.values()].map(({ grant }) => grant.close()))
      await underWay.ended()
      await http.close()
    },
  })
}

/** A grant to use; where the user has to go for one is thrown. */
async function grantOf(...wanted: Parameters<typeof grantOrConsent>): Promise<ReadyGrant | undefined> {
  const result = await grantOrConsent(...wanted)
  if (result?.consent !== undefined) throw new ConsentRequiredError(result.consent)
  return result?.grant
}

function never(): AbortSignal {
  return new AbortController().signal
}
