import { createRemoteJWKSet, decodeJwt, jwtVerify, type JWTPayload } from 'jose'
import { issuerMetadataUrls } from '../oauth/issuer-metadata-urls.js'

/** What an assertion must be to be redeemed. */
export interface AssertionTrust {
  /** The server it is for. */
  readonly audience: string
  readonly issuers: readonly string[]
  /** Its `typ`; undefined for a JWT that is the grant of a workload. */
  readonly typ: string | undefined
}

const longestSeconds = 300

/**
 * Verifies an assertion with the keys its issuer publishes: signature, `typ`, issuer, the one audience, a lifetime of at most five
 * minutes for those with a `typ`, and that it comes for the first time. Undefined for any other.
 *
 * RFC 7523 §3, draft-ietf-oauth-identity-assertion-authz-grant §4.4.1.
 */
export async function redeemedAssertion(
  assertion: string,
  { audience, issuers, typ }: AssertionTrust,
  seen: Map<string, number>,
): Promise<JWTPayload | undefined> {
  try {
    const { iss = '' } = decodeJwt(assertion)
    if (!issuers.includes(iss)) return undefined
    const { payload } = await jwtVerify(assertion, await keysOf(iss), {
      algorithms: ['ES256'],
      issuer: iss,
      audience,
      ...(typ !== undefined && { typ }),
      requiredClaims: ['sub', 'exp', 'iat', 'jti'],
    })
    const { aud, exp = 0, iat = 0, jti = '' } = payload
    if (aud !== audience || (typ !== undefined && exp - iat > longestSeconds)) return undefined
    return isFirst(`${iss} ${jti}`, exp, seen) ? payload : undefined
  } catch {
    return undefined
  }
}

function isFirst(id: string, exp: number, seen: Map<string, number>): boolean {
  const now = Date.now() / 1000
  for (const [known, end] of seen) if (end <= now) seen.delete(known)
  if (seen.has(id)) return false
  seen.set(id, exp)
  return true
}

async function keysOf(issuer: string) {
  for (const url of issuerMetadataUrls(issuer)) {
    const answer = await fetch(url)
    if (!answer.ok) continue
    const { jwks_uri: uri } = (await answer.json()) as { jwks_uri: string }
    return createRemoteJWKSet(new URL(uri))
  }
  throw new Error('The issuer publishes no metadata')
}
