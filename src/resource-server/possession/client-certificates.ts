import { refuse } from '../option-checks.js'
import type { ResourceServer } from '../resource-server.js'
import type { CertificateSource } from './possession.js'
import { withPossession } from './with-possession.js'

/** Options of `withClientCertificates`. */
export interface ClientCertificateOptions {
  /**
   * Finds the certificate whose key the client has proven to hold in the TLS handshake: on the socket, or in a header
   * that a proxy in front always overwrites. Undefined when there is none; a throw is answered with 503.
   */
  readonly certificate: CertificateSource
}

/**
 * Makes a resource server that also accepts tokens bound to a client certificate, from whoever shows it.
 *
 * The certificate is compared by its SHA-256 thumbprint; no chain is built. Throws `DefinitionError` (`ERR_OPTION`).
 * RFC 8705 §3.
 *
 * @example
 * withClientCertificates(resourceServer, {
 *   certificate: ({ socket }) =>
 *     socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined,
 * })
 */
export function withClientCertificates<Claims>(
  resourceServer: ResourceServer<Claims>,
  { certificate }: ClientCertificateOptions,
): ResourceServer<Claims> {
  if (typeof certificate !== 'function') refuse('certificate', 'must be a function that finds a certificate')
  return withPossession(resourceServer, { certificate })
}
