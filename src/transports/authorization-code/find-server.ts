import type { ReceivedChallenge } from '../../oauth/received-challenge.js'
import type { Registration } from '../../oauth/registration/registration.js'
import type { Registrations } from '../discovery/choose-registration.js'
import { discover, type DiscoveredServer } from '../discovery/discover.js'
import { RegistrationError } from '../errors.js'
import { fromHost } from '../from-host.js'
import type { GrantBinding } from '../grant/grant-binding.js'
import { probe } from '../probe.js'
import type { ConsentContext } from './consent-context.js'

/** Where to send the user, and what the resource said it needs. */
export interface FoundServer extends DiscoveredServer {
  readonly challenged: readonly string[] | undefined
}

/**
 * Finds the authorization server of the resource, from what it said when it turned a request away, or else from what it says to a
 * request without credentials. `open` when it asks for none, or gives an answer that is not about credentials: the request
 * itself will tell. MCP 2026-07-28 "Authorization Server Discovery".
 */
export async function findServer(
  context: ConsentContext,
  received: ReceivedChallenge | undefined,
  signal: AbortSignal,
): Promise<FoundServer | 'open'> {
  const { status, challenge } =
    received === undefined ? await probe(context.exchange, signal) : { status: 401, challenge: received }
  if (status === 403 || status === 404 || status === 405 || status >= 500) return 'open'
  const { endpoint, registration: registrations, http, cache, proofs } = context
  const found = await discover({
    endpoint,
    challenge,
    registrations,
    needs: 'authorization_code',
    dpop: proofs !== undefined,
    http,
    cache,
    signal,
  })
  context.open.note(found === 'open')
  return found === 'open' ? 'open' : { ...found, challenged: challenge?.scope }
}

/** The registration a grant was given to. Throws `RegistrationError` when the host no longer has it. */
export async function registrationOf(
  registrations: Registrations,
  { issuer, clientId, method }: GrantBinding,
): Promise<Registration> {
  const all =
    typeof registrations === 'function'
      ? [await fromHost(() => registrations(issuer))]
      : [registrations].flat()
  const own = all.find(
    (each) => each?.issuer === issuer && each.clientId === clientId && each.method === method,
  )
  if (own !== undefined) return own
  throw new RegistrationError('The registration the user consented to is no longer there', [issuer])
}

/** What the operator wrote: an issuer that a function was asked about came from the network. */
export function configuredUrls(
  { endpoint, registration }: ConsentContext,
  issuer: string,
): readonly string[] {
  return typeof registration === 'function' ? [endpoint] : [endpoint, issuer]
}
