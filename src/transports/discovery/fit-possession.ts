import type { AuthorizationServer } from 'oauth4webapi'
import { DiscoveryError } from '../errors.js'
import type { ResourceDescription } from './resource-description.js'

/** What proofs of a transport are signed with. */
const algorithm = 'ES256'

/**
 * Checks that a resource takes tokens bound to a key, where the transport has such ones, or others, where it has not.
 *
 * Throws `DiscoveryError`. RFC 9728 §2.
 */
export function checkResourcePossession(resource: ResourceDescription, dpop: boolean): void {
  const { dpopRequired, dpopAlgorithms } = resource
  if (!dpop && dpopRequired === true)
    throw new DiscoveryError('The resource takes only tokens that are bound to a key; set `dpop: true`')
  if (dpop && dpopAlgorithms?.includes(algorithm) === false)
    throw new DiscoveryError(`The resource takes no proofs of possession signed with ${algorithm}`)
}

/**
 * Checks that an authorization server binds tokens to a key: one that does announces the signatures it takes (RFC 9449 §5.1).
 *
 * Throws `DiscoveryError`.
 */
export function checkServerPossession(server: AuthorizationServer): void {
  if (server.dpop_signing_alg_values_supported?.includes(algorithm)) return
  const { host } = new URL(server.issuer)
  throw new DiscoveryError(
    server.dpop_signing_alg_values_supported === undefined
      ? `The authorization server ${host} does not announce DPoP, which \`dpop: true\` needs`
      : `The authorization server ${host} takes no proofs of possession signed with ${algorithm}`,
  )
}
