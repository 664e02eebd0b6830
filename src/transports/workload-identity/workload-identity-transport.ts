import { exactResource } from '../../oauth/exact-url.js'
import { publicClient } from '../../oauth/registration/public.js'
import type { ClientIdentity } from '../../oauth/registration/registration.js'
import type { AuthorizationStore } from '../../store/authorization-store.js'
import { checkFunction, checkScopes, checkStore } from '../check-options.js'
import { machineGrant } from '../machine-grant.js'
import type { ClientTransport } from '../client-transport.js'
import { checkedCredential, fromHost } from '../from-host.js'
import { grantTransport } from '../grant-transport.js'

/** Options of `workloadIdentityTransport`. `issuer` is the only authorization server that ever sees an assertion. */
export interface WorkloadIdentityOptions extends ClientIdentity {
  /** The one URL of the MCP server, byte for byte; `https`. */
  readonly endpoint: string
  /**
   * Gives a JWT the platform issued to this workload, with the issuer above as its audience; asked anew for each token, and given 30
   * seconds.
   */
  readonly assertion: (signal: AbortSignal) => Promise<string>
  /** What to ask for; left out, what the resource says it needs. */
  readonly scopes?: readonly string[]
  /** Where the token is kept between calls and processes; of this workload alone. */
  readonly store: AuthorizationStore
  /** Bind tokens to a key of this transport, so that a stolen one is of no use (RFC 9449). Default false. */
  readonly dpop?: boolean
}

const extension = 'io.modelcontextprotocol/auth/wif'
/**
 * A transport for a workload whose platform vouches for it: its JWT is the grant, and there is no secret (RFC 7523 §2.1, SEP-1933).
 *
 * The assertion is never kept. A refusal, of the authorization server or of the resource, is final: nothing is asked twice and no
 * other grant is tried. `allowLoopbackHttp` is for the endpoint as well. Nothing is sent before the first call. Throws
 * `DefinitionError` (`ERR_OPTION`).
 */
export function workloadIdentityTransport(options: WorkloadIdentityOptions): ClientTransport {
  const { assertion, scopes, store, quirks, allowLoopbackHttp = false, issuer, clientId } = options
  const endpoint = exactResource('endpoint', options.endpoint, { allowLoopbackHttp })
  const registration = publicClient({ issuer, clientId, allowLoopbackHttp, ...(quirks && { quirks }) })
  checkFunction('assertion', assertion)
  checkScopes(scopes)
  checkStore(store)
  return grantTransport({
    endpoint,
    extension,
    dpop: options.dpop,
    obtain: (parts) =>
      machineGrant({
        kind: 'workload_identity',
        needs: 'jwt-bearer',
        parameters: (lost) => grantParameters(assertion, lost),
        endpoint,
        registration,
        scopes: scopes && [...scopes],
        store,
        ...parts,
      }),
    replace: async ({ challenge, sent }, get) =>
      sent === undefined ? get({ ...(challenge && { challenge }) }) : undefined,
  })
}

async function grantParameters(
  assertion: WorkloadIdentityOptions['assertion'],
  lost: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  return {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: checkedCredential(await fromHost(assertion, lost)),
  }
}
