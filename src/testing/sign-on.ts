import { randomBytes, randomUUID } from 'node:crypto'
import type { RefreshTokens } from './user-grants.js'

/** A user who has signed in at this server for a client. */
export interface SignOn {
  /** Default `alice`. */
  readonly subject?: string
  readonly clientId: string
  /** What the client gets: an ID token (default), a base64url-encoded SAML assertion that serves once, or a refresh token. */
  readonly as?: SignOnKind
  /** From now. Default 300. */
  readonly expiresInSeconds?: number
}

/** What a sign-on gives. */
export type SignOnKind = 'id_token' | 'saml2' | 'refresh_token'

/** Sign-ons and what they gave, which is what token exchanges show. */
export interface SignOns {
  give(signOn: SignOn): Promise<string>
  /** Whose token it is, if it is of that kind and client and still good; a refresh token is replaced where they rotate. */
  show(token: string, kind: SignOnKind, clientId: string): Shown | undefined
  /** A refresh token for a subject. */
  refreshToken(subject: string, clientId: string): string
}

interface Shown {
  readonly subject: string
  readonly replacement?: string
}

interface Given {
  readonly subject: string
  readonly clientId: string
  readonly kind: SignOnKind
  readonly expiresAt: number
}

type Sign = (payload: string, header: Readonly<Record<string, unknown>>) => Promise<string>

/** Makes an empty memory of sign-ons. Assertions serve once; so do refresh tokens that rotate. */
export function signOns(issuer: string, sign: Sign, refreshTokens: RefreshTokens): SignOns {
  const known = new Map<string, Given>()
  const secret = (kind: string) => Buffer.from(`${kind}-${randomUUID()}${randomBytes(16).toString('hex')}`)

  function refreshToken(subject: string, clientId: string): string {
    const token = secret('sign-on').toString('base64url')
    known.set(token, { subject, clientId, kind: 'refresh_token', expiresAt: Infinity })
    return token
  }

  return {
    refreshToken,
    async give({ subject = 'alice', clientId, as: kind = 'id_token', expiresInSeconds = 300 }) {
      if (kind === 'refresh_token') return refreshToken(subject, clientId)
      const iat = Math.floor(Date.now() / 1000)
      const exp = iat + expiresInSeconds
      const claims = { iss: issuer, sub: subject, aud: clientId, jti: randomUUID(), iat, exp }
      const token =
        kind === 'saml2'
          ? Buffer.from(`<Assertion ID="_${randomUUID()}"/>`).toString('base64url')
          : await sign(JSON.stringify(claims), { typ: 'JWT' })
      known.set(token, { subject, clientId, kind, expiresAt: exp * 1000 })
      return token
    },
    show(token, kind, clientId) {
      const given = known.get(token)
      if (given?.kind !== kind || given.clientId !== clientId || given.expiresAt <= Date.now())
        return undefined
      const isRotated = kind === 'refresh_token' && refreshTokens === 'rotating'
      if (kind === 'saml2' || isRotated) known.delete(token)
      return {
        subject: given.subject,
        ...(isRotated && { replacement: refreshToken(given.subject, clientId) }),
      }
    },
  }
}
