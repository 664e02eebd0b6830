import type { CastellanError } from '../../errors.js'

/** What a token endpoint gave, as far as it is kept (RFC 6749 §5.1). */
export interface IssuedToken {
  readonly accessToken: string
  readonly tokenType: 'Bearer' | 'DPoP'
  readonly refreshToken?: string
  readonly expiresInSeconds?: number
  /** Absent when it is what was asked for. */
  readonly scope?: readonly string[]
}

/** How one request to a token endpoint ended. */
export type TokenOutcome<T = IssuedToken> =
  | { readonly ok: true; readonly token: T }
  | {
      readonly ok: false
      /** What the caller is told. */
      readonly error: CastellanError
      /** Whether a code, refresh token or assertion in the request may have been used up: then it is never sent again. */
      readonly usedUp: boolean
    }
