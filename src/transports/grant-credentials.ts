import type { Credentials } from './authorizer.js'
import type { ReadyGrant } from './grant/grant-record.js'
import type { Proofs } from './possession/proofs.js'

/** Where a token goes, and what proves that its key is held. */
export interface Presentation {
  readonly endpoint: string
  readonly proofs: Proofs | undefined
}

/** A token as one request carries it (RFC 6750 §2.1, RFC 9449 §7.1). */
export function grantCredentials(
  { accessToken, tokenType, issuanceId, proofKey }: ReadyGrant,
  { endpoint, proofs }: Presentation,
): Credentials {
  const possession = proofKey && proofs?.of(proofKey).at(endpoint, accessToken)
  const headers = { authorization: `${tokenType} ${accessToken}` }
  return { headers, issuanceId, ...(possession && { possession }) }
}
