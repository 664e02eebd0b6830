import { randomUUID } from 'node:crypto'
import { CompactSign } from 'jose'
import type { SigningKey } from './signing-key.js'

/** What a minted access token says. Everything but `resource` has a default. */
export interface MintOptions {
  /** One or several audiences. */
  readonly resource: string | readonly string[]
  /** Default none. */
  readonly scopes?: readonly string[]
  /** Default `alice`. */
  readonly subject?: string
  /** Default `test-client`. */
  readonly clientId?: string
  /** From now. Default 300. */
  readonly expiresInSeconds?: number
  /** The moment of issuing, seconds since the epoch. Default now. */
  readonly issuedAt?: number
  /** Further claims, or other values for the usual ones; `undefined` leaves a claim out. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Further header members, or other values; `undefined` leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>
}

/** The claims of an RFC 9068 access token as `options` describe it. */
export function accessTokenClaims(issuer: string, options: MintOptions): Record<string, unknown> {
  const iat = options.issuedAt ?? Math.floor(Date.now() / 1000)
  const {
    resource,
    scopes = [],
    subject = 'alice',
    clientId = 'test-client',
    expiresInSeconds = 300,
  } = options
  return {
    iss: issuer,
    sub: subject,
    aud: resource,
    exp: iat + expiresInSeconds,
    iat,
    jti: randomUUID(),
    client_id: clientId,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...options.claims,
  }
}

/** Signs claims as an RFC 9068 access token with ES256. */
export async function mintAccessToken(
  issuer: string,
  key: SigningKey,
  options: MintOptions,
): Promise<string> {
  return signText(key, JSON.stringify(accessTokenClaims(issuer, options)), options.header)
}

/** Signs any text, so that a payload may be what JSON.stringify never writes. */
export async function signText(
  key: SigningKey,
  payload: string,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header })
    .sign(key.privateKey)
}
