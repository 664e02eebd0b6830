import { DefinitionError } from '../../errors.js'
import { exactResource } from '../../oauth/exact-url.js'
import type { AuthorizationStore } from '../../store/authorization-store.js'
import { checkRegistrations, checkScopes, checkStore } from '../check-options.js'
import type { ClientTransport } from '../client-transport.js'
import { grantTransport } from '../grant-transport.js'
import type { Registrations } from '../discovery/choose-registration.js'
import { machineGrant } from '../machine-grant.js'

/** Options of `clientCredentialsTransport`. */
export interface ClientCredentialsOptions {
  /** The one URL of the MCP server, byte for byte; `https`. */
  readonly endpoint: string
  /**
   * Who the application is: a registration with a secret or a key; several, one for each issuer; or a function that decides for
   * an issuer the resource names.
   */
  readonly registration: Registrations
  /** What to ask for; left out, what the resource says it needs. */
  readonly scopes?: readonly string[]
  /** Where the token is kept between calls and processes; of this application alone. */
  readonly store: AuthorizationStore
  /** `never` (default): a refused token is the end of the call. `once`: the call is sent once more with a new token. */
  readonly renewOn401?: 'never' | 'once'
  /** Bind tokens to a key of this transport, so that a stolen one is of no use (RFC 9449). Default false. */
  readonly dpop?: boolean
  /** Accept an `http` endpoint on loopback hosts. Default false. */
  readonly allowLoopbackHttp?: boolean
}

const extension = 'io.modelcontextprotocol/oauth-client-credentials'

/**
 * A transport for an application that acts as itself (RFC 6749 §4.4, MCP extension `oauth-client-credentials`).
 *
 * It gets one token for any number of calls, keeps it, and gets another before it ends; a token without a stated life is used for
 * five minutes. Scopes are never widened, and a rejected token or a missing scope is final. Nothing is sent before the first call.
 * Throws `DefinitionError` (`ERR_OPTION`), also for public registrations.
 */
export function clientCredentialsTransport(options: ClientCredentialsOptions): ClientTransport {
  const { registration, scopes, store, renewOn401 = 'never', allowLoopbackHttp = false } = options
  const endpoint = exactResource('endpoint', options.endpoint, { allowLoopbackHttp })
  checkOptions(options)
  return grantTransport({
    endpoint,
    extension,
    dpop: options.dpop,
    obtain: (parts) =>
      machineGrant({
        kind: 'client_credentials',
        needs: 'client_credentials',
        parameters: () => Promise.resolve({ grant_type: 'client_credentials' }),
        endpoint,
        registration,
        scopes: scopes && [...scopes],
        store,
        ...parts,
      }),
    async replace({ status, challenge, sent }, get) {
      if (sent === undefined) return get({ ...(challenge && { challenge }) })
      if (status === 403 || renewOn401 === 'never') return undefined
      return get({ rejected: sent.issuanceId, ...(challenge && { challenge }) })
    },
  })
}

function checkOptions({ registration, scopes, store, renewOn401 = 'once' }: ClientCredentialsOptions): void {
  checkRegistrations(registration)
  const all = typeof registration === 'function' ? [] : [registration].flat()
  if (all.some(({ method }) => method === 'none'))
    throw new DefinitionError('`registration` must be one with a secret or a key', 'ERR_OPTION')
  checkScopes(scopes)
  checkStore(store)
  const given: unknown = renewOn401
  if (given !== 'never' && given !== 'once')
    throw new DefinitionError("`renewOn401` must be 'never' or 'once'", 'ERR_OPTION')
}
