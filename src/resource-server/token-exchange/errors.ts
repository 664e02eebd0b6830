import { CastellanError } from '../../errors.js'

/** Why no token for the upstream was had. Holds no token and no secret. */
export class TokenExchangeError extends CastellanError {
  override readonly name = 'TokenExchangeError'
  /** The `error` of RFC 6749 §5.2 or RFC 8693 §2.2.2, when the answer named one. */
  readonly oauthCode: string | undefined

  constructor(
    code: 'ERR_NO_CALLER_TOKEN' | 'ERR_TOKEN_ENDPOINT' | 'ERR_AUTHORIZATION_UNAVAILABLE',
    message?: string,
    oauthCode?: string,
  ) {
    super(code, message)
    this.oauthCode = oauthCode
  }
}
