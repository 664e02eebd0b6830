import { DefinitionError } from '../../errors.js'
import { guardedHttp } from '../../network/guarded-http.js'
import { undiciExchange } from '../../network/http-undici-exchange.js'
import { exactResource } from '../../oauth/exact-url.js'
import {
  isLoopbackRedirect,
  redirectUri as checkedRedirectUri,
} from '../../oauth/registration/redirect-uri.js'
import type { AuthorizationStore } from '../../store/authorization-store.js'
import { authorizedTransport } from '../authorized-transport.js'
import type { ClientTransport } from '../client-transport.js'
import type { Registrations } from '../discovery/choose-registration.js'
import { discoveryCache } from '../discovery/discover.js'
import { openness } from '../openness.js'
import { proofsFor } from '../possession/proofs.js'
import { sharedGrant, type GrantWish } from '../grant/shared-grant.js'
import type { ReadyGrant } from '../grant/grant-record.js'
import { checkFunction, checkRegistrations, checkStore } from '../check-options.js'
import type { ConsentContext } from './consent-context.js'
import { failedConsents } from './failed-consents.js'
import { forgetGrant } from './forget-grant.js'
import { localConsent, type LocalBrowser } from './local-consent.js'
import { oneAtATime } from './one-at-a-time.js'
import { userAuthorizer } from './user-authorizer.js'

/** Options of `authorizationCodeTransport.forLocal`. */
export interface LocalConsentOptions extends LocalBrowser {
  /** The one URL of the MCP server, byte for byte; `https`. */
  readonly endpoint: string
  /** Who the application is: a registration; several, one for each issuer; or a function that decides for an issuer. */
  readonly registration: Registrations
  /**
   * Where the browser comes back to on this machine: `http` with a loopback host. Without a port any free one is used.
   * Default `http://127.0.0.1/callback`.
   */
  readonly redirectUri?: string
  /** Where the grant is kept, so that the next start needs no consent: for example a `fileAuthorizationStore`. */
  readonly store: AuthorizationStore
  /** Bind tokens to a key of their own, so that a stolen one is of no use (RFC 9449). Default false. */
  readonly dpop?: boolean
  /** Accept an `http` endpoint on loopback hosts. Default false. */
  readonly allowLoopbackHttp?: boolean
}

/** A transport for the one user of this machine. */
export interface LocalTransport extends ClientTransport {
  /**
   * Signs the user out: the grant is deleted, and the authorization server told as far as it can be reached. The next call may ask
   * the user again.
   */
  forget(options?: { readonly signal?: AbortSignal }): Promise<void>
}

/**
 * A transport for command-line and desktop programs (RFC 8252): a call that needs consent opens the browser of the user, waits
 * for the answer on a loopback address, and goes on. Calls at once open one browser; each stops waiting with its own signal.
 *
 * Calls reject with `ConsentError` when the user refuses or takes more than 5 minutes; what came to nothing opens no browser again
 * for a minute, unless `forget` is called. Throws `DefinitionError` (`ERR_OPTION`).
 */
export function forLocal(options: LocalConsentOptions): LocalTransport {
  const { registration, store, openBrowser, confirm, allowLoopbackHttp = false } = options
  const endpoint = exactResource('endpoint', options.endpoint, { allowLoopbackHttp })
  const uri = checkedRedirectUri('redirectUri', options.redirectUri ?? 'http://127.0.0.1/callback')
  if (!isLoopbackRedirect(uri))
    throw new DefinitionError('`redirectUri` must be http on a loopback host', 'ERR_OPTION')
  checkRegistrations(registration)
  checkStore(store)
  checkFunction('openBrowser', openBrowser)
  if (confirm !== undefined) checkFunction('confirm', confirm)
  const proofs = proofsFor(options.dpop)
  const exchange = undiciExchange(endpoint)
  const http = guardedHttp()
  const cache = discoveryCache()
  const context: ConsentContext = {
    ...{ endpoint, registration, user: [], store },
    ...{ exchange, http, cache, proofs, open: openness() },
  }
  const failed = failedConsents()
  const browser = { openBrowser, ...(confirm && { confirm }) }
  const obtain = (wish: GrantWish, signal: AbortSignal): Promise<ReadyGrant | undefined> =>
    localConsent(context, wish, { browser, redirectUri: uri, failed }, signal)
  const grant = sharedGrant(oneAtATime(obtain))
  const authorizer = userAuthorizer(
    () => grant,
    { endpoint, proofs },
    () => grant.close(),
  )
  const release = () => http.close()
  const transport = authorizedTransport({ endpoint, authorizer, exchange, release })
  return Object.freeze({
    ...transport,
    async forget({ signal = new AbortController().signal } = {}) {
      failed.forget()
      grant.forget()
      await forgetGrant(context, signal)
      grant.forget()
    },
  })
}
