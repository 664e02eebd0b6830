import type { Credentials } from './authorizer.js'
import type { ReadyGrant } from './grant/grant-record.js'

/** A token as one request carries it (RFC 6750 §2.1). */
export function bearerCredentials({ accessToken, issuanceId }: ReadyGrant): Credentials {
  return { headers: { authorization: `Bearer ${accessToken}` }, issuanceId }
}
