import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Scheme } from '../../oauth/credentials.js'
import type { Confirmation } from '../resource-server.js'
import type { CertificateSource, HolderVerdict, Possession } from './possession.js'

/** A bound token as it was presented. */
export interface PresentedToken {
  readonly scheme: Scheme
  readonly token: string
}

/** What of a request may prove possession. */
export interface PresentingRequest {
  readonly method: string
  readonly target: string
  readonly proofs: readonly string[]
  readonly message?: IncomingMessage
}

const proven: HolderVerdict = Object.freeze({ outcome: 'proven' })
const unproven: HolderVerdict = Object.freeze({ outcome: 'unproven' })

/**
 * Says whether the caller holds every key a token is bound to: that of a DPoP proof, sent with the DPoP scheme, and
 * that of the client certificate. RFC 9449 §7, RFC 8705 §3. Throws what the certificate source throws.
 */
export function checkHolder(
  { dpop, certificate }: Possession,
  { jkt, 'x5t#S256': thumbprint }: Confirmation,
  { scheme, token }: PresentedToken,
  { method, target, proofs, message }: PresentingRequest,
): HolderVerdict | Promise<HolderVerdict> {
  if (thumbprint !== undefined && !showsCertificate(certificate, message, thumbprint)) return unproven
  if (jkt === undefined) return thumbprint !== undefined && scheme === 'Bearer' ? proven : unproven
  if (scheme !== 'DPoP' || dpop === undefined) return unproven
  return dpop.prove(proofs, { method, target, token, jkt })
}

function showsCertificate(
  source: CertificateSource | undefined,
  message: IncomingMessage | undefined,
  thumbprint: string,
): boolean {
  const certificate = message && source?.(message)
  if (certificate === undefined) return false
  const der = 'raw' in certificate ? certificate.raw : certificate
  const shown = Buffer.from(hash('sha256', der, 'base64url'))
  const wanted = Buffer.from(thumbprint)
  return shown.length === wanted.length && timingSafeEqual(shown, wanted)
}
