import type { IssuerQuirks } from '../../oauth/registration/quirks.js'

/** Quirks of github.com, whose issuer is `https://github.com/login/oauth`: it publishes no metadata. */
export function github(): IssuerQuirks {
  return {
    metadataOverride: {
      authorization_endpoint: 'https://github.com/login/oauth/authorize',
      token_endpoint: 'https://github.com/login/oauth/access_token',
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
    },
    acceptFormEncodedTokenResponse: true,
  }
}
